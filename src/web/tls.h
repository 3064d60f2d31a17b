// SPDX-License-Identifier: Apache-2.0
// TLS: with the user's certificate, or with one that is made here and told apart by its fingerprint.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio::ssl {
class context;
}

namespace web {

struct Tls {
  std::shared_ptr<boost::asio::ssl::context> context;
  std::string fingerprint;  // SHA-256 of the certificate: AB:CD:…
};

base::Result<Tls> load_tls(const std::string& certificate_path, const std::string& key_path);

// Makes both files, mode 0600, if they are not there. For ten years, and for this address.
base::Result<void> make_certificate(const std::string& certificate_path, const std::string& key_path,
                                    const std::string& address);

}  // namespace web
