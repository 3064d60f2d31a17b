// SPDX-License-Identifier: Apache-2.0
// The key that signs the audit's heads: Ed25519, made at the first start, in a file of mode 0600 (PEM, PKCS
// #8); its public half stands beside it in PATH.pub (PEM), for whoever verifies elsewhere.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct evp_pkey_st;

namespace store {

using PublicKey = std::array<unsigned char, 32>;
using Signature = std::array<unsigned char, 64>;

class SigningKey {
 public:
  // Reads the key, or makes it if there is no file. A link, or a file that others may read, is refused.
  static base::Result<SigningKey> load_or_make(const std::string& path);

  base::Result<Signature> sign(std::string_view message) const;
  const PublicKey& public_key() const { return public_key_; }
  bool is_new() const { return is_new_; }

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  SigningKey(evp_pkey_st* key, const PublicKey& public_key) : key_(key), public_key_(public_key) {}
  static base::Result<SigningKey> make(const std::string& path);
  static base::Result<SigningKey> load(const std::string& path);

  std::unique_ptr<evp_pkey_st, Free> key_;
  PublicKey public_key_{};
  bool is_new_ = false;
};

// Out of the .pub file, or of the private key's own.
base::Result<PublicKey> load_public_key(const std::string& path);
std::string public_key_pem(const PublicKey& key);

bool is_signed_by(const PublicKey& key, std::string_view message, const Signature& signature);

}  // namespace store
