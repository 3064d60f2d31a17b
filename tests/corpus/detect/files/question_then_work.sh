# SPDX-License-Identifier: Apache-2.0
# Prints what looks like a question, and goes on by itself.
printf 'Do you want to continue? [Y/n] '
sleep 30
