# SPDX-License-Identifier: Apache-2.0
# A dpkg root in this folder with a package whose configuration file was changed, and two.deb that changes it too.
set -e
mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/var/lib/dpkg/triggers
: > root/var/lib/dpkg/status
: > root/var/lib/dpkg/available
for version in one two; do
  mkdir -p $version/DEBIAN $version/etc
  echo "setting = $version" > $version/etc/demo.conf
  echo /etc/demo.conf > $version/DEBIAN/conffiles
  printf 'Package: demo\nVersion: %s\nArchitecture: all\nMaintainer: Demo <demo@example.org>\nDescription: demo\n' \
    $([ $version = one ] && echo 1.0 || echo 2.0) > $version/DEBIAN/control
  dpkg-deb -b --root-owner-group $version $version.deb > /dev/null
done
dpkg --root=root --force-depends -i one.deb > /dev/null 2>&1
echo "setting = mine" > root/etc/demo.conf
