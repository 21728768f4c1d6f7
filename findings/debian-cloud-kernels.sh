#!/usr/bin/env bash
# Debian's cloud kernels, made for virtual machines of Amazon, Microsoft and others, have no driver of Amazon's adapter (efa), but those of
# NVIDIA's and, in Debian 13, of Microsoft's (mana_ib). efa is in none of Debian's kernels.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
cd "$work"
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/*$' | sort -u) # this machine's, which must be a Debian
printf 'deb [arch=amd64] %s %s main\n' "$mirror" bookworm "$mirror" trixie >sources.list
apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
  -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update -qq >/dev/null
failed=0
check() { # SUITE PACKAGE EXPECTED-DRIVERS...
  local suite=$1 package=$2 version image found='' driver
  shift 2
  version=$(apt-cache "${apt[@]}" madison "$package" | awk -F'|' -v suite=" $suite/" 'index($3, suite) { gsub(/ /, "", $2); print $2 }')
  version=${version%%$'\n'*}
  image=$(apt-cache "${apt[@]}" show "$package=$version" | grep -o '^Depends: linux-image-[^ ,]*' | cut -d' ' -f2)
  apt-get "${apt[@]}" download -qq "$image" >/dev/null 2>&1
  dpkg-deb -c "$image"_*.deb >files
  rm -f "$image"_*.deb
  for driver in mlx5_ib mana_ib efa irdma bnxt_re rdma_rxe ib_ipoib; do
    if grep -qE "/$driver\.ko(\.[a-z]+)?$" files; then found+=" $driver"; fi
  done
  echo "$suite, $image $version:$found"
  [ "$found" = " $*" ] || { echo "CHANGED: expected $*"; failed=1; }
}
check bookworm linux-image-amd64 mlx5_ib irdma rdma_rxe ib_ipoib
check bookworm linux-image-cloud-amd64 mlx5_ib
check trixie linux-image-amd64 mlx5_ib mana_ib irdma bnxt_re rdma_rxe ib_ipoib
check trixie linux-image-cloud-amd64 mlx5_ib mana_ib
exit "$failed"
