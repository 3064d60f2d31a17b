# SPDX-License-Identifier: Apache-2.0
# An ssh server on loopback with keys and a port of its own, in this folder.
set -e
ssh-keygen -q -t ed25519 -N '' -f host_key
mkdir -p /run/sshd
port=$((20000 + $$ % 20000))
cat > sshd.conf <<END
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/host_key
PidFile $PWD/sshd.pid
UsePAM no
PasswordAuthentication yes
KbdInteractiveAuthentication no
StrictModes no
END
/usr/sbin/sshd -f "$PWD/sshd.conf" -E "$PWD/sshd.log"
echo $port > port
for _ in 1 2 3 4 5 6 7 8 9 10; do
  [ -s sshd.pid ] && exit 0
  sleep 0.1
done
exit 1
