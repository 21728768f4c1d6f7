#!/usr/bin/env bash
# Debian installs verbs libraries whose adapters none of its amd64 kernels drives: VMware's PVRDMA, Alibaba's erdma, Soft-iWARP, Amazon's efa. Its
# kernels also have a driver whose library is gone: Cisco's usnic_verbs. ibv_devices lists such a device nowhere, and no package says so.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
cd "$work"
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep '/debian/*$' | sort -u) # this machine's, which must be a Debian
for suite in bookworm trixie trixie-backports; do printf 'deb [arch=amd64] %s %s main\n' "$mirror" "$suite"; done >sources.list
apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
  -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update -qq >/dev/null
failed=0
files() { # PACKAGE[=VERSION]: the names of its files
  rm -f ./*.deb
  apt-get "${apt[@]}" download -qq "$1" >/dev/null 2>&1
  dpkg-deb -c ./*.deb
}
version() { # PACKAGE SUITE
  apt-cache "${apt[@]}" madison "$1" | awk -F'|' -v suite=" $2/" 'index($3, suite) { gsub(/ /, "", $2); print $2; exit }'
}
check() { # SUITE-OF-LIBRARIES SUITE-OF-KERNEL METAPACKAGE LIBRARIES-WITHOUT-DRIVER DRIVERS-WITHOUT-LIBRARY
  local libraries kernel metapackage=$3 image have name module without='' left=''
  libraries=$(version ibverbs-providers "$1")
  kernel=$(version "$metapackage" "$2")
  image=$(apt-cache "${apt[@]}" show "$metapackage=$kernel" | grep -oE '^Depends: .*' | grep -oE "${metapackage%-amd64}-[0-9][^ ,]*" | head -1)
  files "$image" | grep -oE '/infiniband/(hw|sw)/[^ ]*/[^ /]*\.ko' | sed 's,.*/,,; s/\.ko//' | sort -u >modules
  files "ibverbs-providers=$libraries" | grep -oE '[a-z0-9_]+\.driver$' | sed 's/\.driver//' | sort -u >providers
  declare -A driver=([cxgb4]=iw_cxgb4 [hfi1verbs]=hfi1 [hns]=hns-roce-hw-v2 [ipathverbs]=ib_qib [mana]=mana_ib [mlx4]=mlx4_ib [mlx5]=mlx5_ib
    [mthca]=ib_mthca [rxe]=rdma_rxe)
  have=' rdmavt ' # which the drivers of Omni-Path and of QDR InfiniBand share
  while read -r name; do
    module=${driver[$name]:-$name}
    have+="$module "
    grep -qx "$module" modules || without+=" $name"
  done <providers
  while read -r name; do [[ $have == *" $name "* ]] || left+=" $name"; done <modules
  echo "rdma-core $libraries, $metapackage $kernel: $(wc -l <providers) libraries; without a driver:$without; drivers without a library:$left"
  [ "$without" = " $4" ] && [ "$left" = " $5" ] || { echo "CHANGED: expected '$4' and '$5'"; failed=1; }
}
check bookworm bookworm linux-image-amd64 'bnxt_re efa erdma hns mana siw vmw_pvrdma' 'usnic_verbs'
check trixie trixie linux-image-amd64 'efa erdma hns siw vmw_pvrdma' 'usnic_verbs'
check trixie trixie-backports linux-modules-amd64 'efa erdma hns ipathverbs siw vmw_pvrdma' 'usnic_verbs'
exit "$failed"
