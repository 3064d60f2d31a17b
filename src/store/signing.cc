// SPDX-License-Identifier: Apache-2.0
#include "store/signing.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/private_file.h"

namespace store {

using base::Code;
using base::fail;
using base::Result;

namespace {

constexpr size_t kMostBytes = 64 << 10;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

// What OpenSSL says about it is for its own developers.
std::unexpected<base::Error> failed(const std::string& what) {
  ERR_clear_error();
  return fail(Code::internal, 0, what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

// Without this, OpenSSL would ask for a passphrase on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

Key read_private(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
}

Key read_public(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Key(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, nullptr));
}

Result<PublicKey> raw_public(EVP_PKEY* key, const std::string& path) {
  PublicKey raw{};
  size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_id(key) != EVP_PKEY_ED25519 ||
      EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1 || size != raw.size())
    return failed(path + " holds no Ed25519 key");
  return raw;
}

// Under another name first: a crash leaves no half a file.
Result<void> write_whole(const std::string& path, const std::string& text) {
  const std::string part = path + ".new";
  ::unlink(part.c_str());
  auto file = make_private_file(part);
  if (!file) return fail(file);
  if (auto done = base::write_all(file->get(), text); !done) return done;
  if (auto done = sync_file(file->get(), part); !done) return done;
  if (std::rename(part.c_str(), path.c_str()) != 0)
    return fail(Code::internal, errno, "cannot rename " + part);
  return sync_folder_of(path);
}

// Whatever it is, it is no secret.
std::string read_open_file(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::string text(kMostBytes, '\0');
  const ssize_t n = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

Result<void> export_public(const std::string& path, const PublicKey& key) {
  const std::string pem = public_key_pem(key);
  if (read_open_file(path) == pem) return {};
  return write_whole(path, pem);
}

}  // namespace

void SigningKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

Result<SigningKey> SigningKey::load_or_make(const std::string& path) {
  auto there = is_private_file(path);
  if (!there) return fail(there);
  auto key = *there ? load(path) : make(path);
  if (!key) return key;
  if (auto done = export_public(path + ".pub", key->public_key()); !done) return fail(done);
  return key;
}

Result<SigningKey> SigningKey::make(const std::string& path) {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  const Bio bio(BIO_new(BIO_s_mem()));
  if (key == nullptr || bio == nullptr ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("cannot make a key to sign the audit with");
  // A key that was lost: what it signed can still be verified with its public half.
  (void)rename_new(path + ".pub", path + ".pub.old");
  std::string pem = text_of(bio.get());
  auto written = write_whole(path, pem);
  OPENSSL_cleanse(pem.data(), pem.size());
  if (!written) return fail(written);
  auto raw = raw_public(key.get(), path);
  if (!raw) return fail(raw);
  SigningKey made(key.release(), *raw);
  made.is_new_ = true;
  return made;
}

Result<SigningKey> SigningKey::load(const std::string& path) {
  auto pem = read_private_file(path);
  if (!pem) return fail(pem);
  Key key = read_private(*pem);
  OPENSSL_cleanse(pem->data(), pem->size());
  auto raw = raw_public(key.get(), path);
  if (!raw) return fail(raw);
  return SigningKey(key.release(), *raw);
}

Result<Signature> SigningKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new());
  Signature signature{};
  size_t size = signature.size();
  if (context == nullptr || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size,
                     reinterpret_cast<const unsigned char*>(message.data()), message.size()) != 1 ||
      size != signature.size()) {
    ERR_clear_error();
    return fail(Code::internal, EIO, "cannot sign the audit");
  }
  return signature;
}

Result<PublicKey> load_public_key(const std::string& path) {
  std::string pem = read_open_file(path);
  if (pem.empty()) return fail(Code::internal, errno, "cannot read the key " + path);
  Key key = read_public(pem);
  if (key == nullptr) key = read_private(pem);
  OPENSSL_cleanse(pem.data(), pem.size());
  return raw_public(key.get(), path);
}

std::string public_key_pem(const PublicKey& key) {
  const Key whole(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()));
  const Bio bio(BIO_new(BIO_s_mem()));
  if (whole == nullptr || bio == nullptr || PEM_write_bio_PUBKEY(bio.get(), whole.get()) != 1) {
    ERR_clear_error();
    return "";
  }
  return text_of(bio.get());
}

bool is_signed_by(const PublicKey& key, std::string_view message, const Signature& signature) {
  const Key whole(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()));
  const Context context(EVP_MD_CTX_new());
  const bool good =
      whole != nullptr && context != nullptr &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, whole.get()) == 1 &&
      EVP_DigestVerify(context.get(), signature.data(), signature.size(),
                       reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace store
