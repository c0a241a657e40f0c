#!/bin/sh
# mutants.sh [TREE]: the explorer against copies of src/core with one bug each. Every bug has to be found, by the invariant that is named here.
set -u
tree=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
w=$(mktemp -d)
trap 'rm -rf "$w"' EXIT
flags="-std=gnu11 -D_GNU_SOURCE -O1 -I$tree/test"
passed=0 failed=0
no() { echo "FAIL $*"; failed=$((failed + 1)); }

cp -r "$tree/src" "$w/src"
mkdir "$w/o"
build() { # FILE…: compiled into $w/o
	for f in "$@"; do
		# shellcheck disable=SC2086
		${CC:-cc} $flags -I"$w/src" -c -o "$w/o/$(basename "$(dirname "$f")")-$(basename "$f").o" "$f" || return 1
	done
}
build "$tree"/test/exhaustive/*.c "$w"/src/core/*.c "$w"/src/base/arena.c "$w"/src/base/err.c "$w"/src/base/ip.c "$w"/src/base/mem.c \
	"$w"/src/base/text.c || { echo "0 passed, 1 failed"; exit 1; }

mutant() { # NAME FILE SED INVARIANT WORLD
	name=$1 file=$2 expression=$3 invariant=$4 world=$5
	cp "$tree/src/core/$file" "$w/src/core/$file"
	sed -i "$expression" "$w/src/core/$file"
	if cmp -s "$tree/src/core/$file" "$w/src/core/$file"; then no "$name: nothing was changed in $file"; return; fi
	case $file in *.h) users="$w/src/core/*.c $tree/test/exhaustive/*.c" ;; *) users="$w/src/core/$file" ;; esac
	# shellcheck disable=SC2086
	if ! build $users || ! ${CC:-cc} -o "$w/mutant" "$w"/o/*.o; then no "$name: does not build"; return; fi
	if timeout 120 "$w/mutant" "$world" >"$w/said"; then
		no "$name: lives"
	elif grep -q "broken: $invariant:" "$w/said"; then
		echo "ok $name: $(grep 'broken:' "$w/said" | cut -c1-110)"
		passed=$((passed + 1))
	else
		no "$name: not found by $invariant: $(grep 'broken:' "$w/said")"
	fi
	cp "$tree/src/core/$file" "$w/src/core/$file"
	build $users
}

mutant "deletes on the first zero" drain.c 's/>= DRAIN_TWICE_MS)$/>= 0)/' I1 clients
mutant "a count of the millisecond of weight 0 is believed" drain.c '/dumped_at.ms <= drain->zeroed_at.ms)/s/<=/</' I1 clients
mutant "the limit of a Service that came back goes on" plan.c '/^\t\tvs->gone_since = vs->gone_until = MONO_NEVER;/s/vs->gone_until = //' I1 limit
mutant "deletes what was counted before weight 0" plan.c 's/rs->weight != 0 || rs->missed) {$/(rs->weight != 0 \&\& rs->active) || rs->missed) {/;s/return rs->weight == 0 && rs->drain.on/return rs->drain.on/;s/rs->drain.verdict = rs->superseded.*/rs->drain.verdict = rs->active ? DRAIN_KEEP : DRAIN_DELETE;/' I2 clients
mutant "no wake-up for a retry" plan.c '/retry_waits(&vs->retry, p->now)) {/,/observed_dirty/{/wake_at/d}' I3 failures
mutant "an address lingers for ever" plan.c '/wake_at(p, addr->linger_until);/d' I3 clients
mutant "forgets to raise" plan.c 's/^\tif (rs->weight != 1 || rs->missed)$/\tif (rs->missed)/' I4 clients
mutant "serves what is served" plan.c 's/if (wanted && (!vs->served || !vs->addr->pinged))/if (wanted)/' I5 clients
mutant "nothing is looked at before it is sent" plan.c '/^bool plan_ready/,/^}/s/const struct seen_vs \*vs;/const struct seen_vs *vs;\n\n\tif (op)\n\t\treturn true;/' I6 failures
mutant "zeroes before it adds" op.h '/X(OP_RS_ZERO/{h;d};/X(OP_VS_SET/{p;x;s/.*/\tX(OP_RS_ZERO, 32, "rs-zero") \\/}' I6 clients
mutant "shuts the key behind its servers" op.h '/X(OP_UNSERVE/d;/X(OP_RS_DEL/{p;s/.*/\tX(OP_UNSERVE, 61, "unserve") \\/}' I6 clients
mutant "no answer is a no" settle.c '/^static void doubt/,/^}/s/vs->stale = true;/(void)vs;/' I6 failures
mutant "reads it for ever" observed_take.c '/^bool observed_take_rss/,/^}/{/vs->stale = false;/d}' I7 failures
mutant "an empty dump is believed" observed_take.c 's/bool again = .*/bool again = false;/' I2 restart-skips
mutant "goes on with old zeros" settle.c '/drain_again(&rs->drain, now); .* dumps/d' I1 hand-skips
mutant "adds before the connections of the other pod are gone" plan.c '/^static void plan_new/,/^}/s/if (observed_flushing/if (0 \&\& observed_flushing/;/^static bool can_serve/,/^}/s/ || (rs .*superseded))$/)/' I8 pods
mutant "does not wait behind a limit" settle.c 's/if (rs->superseded || .*deadline, now)))$/if (rs->superseded)/' I8 pods-limit
mutant "a pod that is not known is another one" plan.c '/^static void plan_kept/,/^}/s/rs->uid && uid && /rs->uid \&\& /' I2 pods
mutant "a pod that was not known is another one" plan.c '/^static void plan_kept/,/^}/s/rs->uid && uid && /uid \&\& /' I2 pods-restart
mutant "the deadline of a Service that came back goes on" plan.c 's/^\trs->drain.deadline = mono_min/\tif (!mono_set(rs->drain.deadline))\n\t\trs->drain.deadline = mono_min/' I1 limit
mutant "a drain has no limit of its own" plan.c 's/rs->drain.deadline = mono_min(.*/rs->drain.deadline = vs->gone_until;/' I9 own-limit
mutant "the limit of a drain begins anew" plan.c '/^static void plan_unwanted/,/^}/s/if (!rs->drain.on)/if (!rs->drain.on || mono_reached(rs->drain.limit_at, p->now))/' I9 own-limit-restart
mutant "a limit survives the drain" drain.c '/^void drain_begin/,/^}/s/\.limit_at = limit_ms/.limit_at = mono_set(drain->limit_at) ? drain->limit_at : limit_ms/' I2 own-limit
mutant "the Service that came back for a retry was not back" plan.c '/also if it has to wait/s/.*/\t\t(void)w;/;s/^\tvs->policy_known = true;$/&\n\tvs->gone_since = vs->gone_until = MONO_NEVER;/' I2 own-limit-failures
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
