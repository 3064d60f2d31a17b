// SPDX-License-Identifier: Apache-2.0
#include "web/tls.h"

#include <array>
#include <boost/asio/ssl/context.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include "base/fd.h"
#include "store/private_file.h"

namespace web {
namespace {

using base::Code;
using base::fail;
using base::Result;
namespace ssl = boost::asio::ssl;

constexpr long kTenYears = 60L * 60 * 24 * 3650;

template <auto Function>
struct Free {
  template <typename T>
  void operator()(T* what) const {
    Function(what);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free>>;

Result<void> write_new(const std::string& path, BIO* from) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(from, &data);
  auto file = store::make_private_file(path);
  if (!file) return fail(file);
  if (auto written = base::write_all(file->get(), {data, static_cast<size_t>(size)}); !written)
    return written;
  if (auto synced = store::sync_file(file->get(), path); !synced) return synced;
  return store::sync_folder_of(path);
}

bool add_extension(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

Certificate self_signed(EVP_PKEY* key, const std::string& address) {
  Certificate certificate(X509_new());
  uint64_t serial = 0;
  if (!certificate || RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return {};
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  // A clock that is behind must not refuse it.
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60L * 60 * 24);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYears);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("tend"), -1, -1,
                             0);
  X509_set_issuer_name(certificate.get(), name);
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  if (address != "0.0.0.0" && address != "::") names += ",IP:" + address;
  if (!add_extension(certificate.get(), NID_subject_alt_name, names) ||
      !add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(certificate.get(), NID_ext_key_usage, "serverAuth") ||
      X509_sign(certificate.get(), key, EVP_sha256()) == 0)
    return {};
  return certificate;
}

std::string fingerprint_of(ssl::context& context) {
  X509* certificate = SSL_CTX_get0_certificate(context.native_handle());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  std::string text;
  for (unsigned i = 0; i < size; i++) text += fmt::format("{}{:02X}", i > 0 ? ":" : "", digest[i]);
  return text;
}

}  // namespace

Result<Tls> load_tls(const std::string& certificate_path, const std::string& key_path) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code wrong;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                       ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::single_dh_use);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Twice 16 KiB for every connection that is quiet would be most of what it costs.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  context->use_certificate_chain_file(certificate_path, wrong);
  if (wrong)
    return fail(Code::invalid_param, 0,
                "the certificate " + certificate_path + " cannot be used: " + wrong.message());
  context->use_private_key_file(key_path, ssl::context::pem, wrong);
  if (wrong)
    return fail(Code::invalid_param, 0, "the key " + key_path + " cannot be used: " + wrong.message());
  Tls tls{context, fingerprint_of(*context)};
  return tls;
}

Result<void> make_certificate(const std::string& certificate_path, const std::string& key_path,
                              const std::string& address) {
  if (::access(certificate_path.c_str(), R_OK) == 0 && ::access(key_path.c_str(), R_OK) == 0) return {};
  ::unlink(certificate_path.c_str());
  ::unlink(key_path.c_str());
  const auto failed = [] { return fail(Code::internal, 0, "cannot make a certificate"); };
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed();
  const Certificate certificate = self_signed(key.get(), address);
  const Memory key_text(BIO_new(BIO_s_mem()));
  const Memory certificate_text(BIO_new(BIO_s_mem()));
  if (!certificate || !key_text || !certificate_text ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1)
    return failed();
  if (auto written = write_new(key_path, key_text.get()); !written) return written;
  return write_new(certificate_path, certificate_text.get());
}

}  // namespace web
