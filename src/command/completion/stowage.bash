# Completion of the command stowage for bash.

_stowage() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local verb=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "list plan compare verify bounds show explain report trace arena offline run record replay diff check-planner --version --help" -- "$word"))
    return
  fi
  if [[ $verb == offline ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "write check strip header --help" -- "$word"))
      return
    fi
    verb+=" ${COMP_WORDS[2]}"
  fi

  case $previous in
    --strategy | --replan)
      COMPREPLY=($(compgen -W "$(_stowage_strategies)" -- "$word"))
      return
      ;;
    --relax)
      COMPREPLY=($(compgen -W "hull" -- "$word"))
      return
      ;;
    --strategies)
      # Complete only the last name of a list, and keep the names before it.
      local before=""
      [[ $word == *,* ]] && before=${word%,*},
      COMPREPLY=($(compgen -P "$before" -W "$(_stowage_strategies)" -- "${word##*,}"))
      compopt -o nospace 2> /dev/null
      return
      ;;
    --kind)
      local kinds="offsets objects"
      [[ $verb == compare ]] && kinds+=" both"
      COMPREPLY=($(compgen -W "$kinds" -- "$word"))
      return
      ;;
    --format)
      local formats="text json"
      [[ $verb == explain || $verb == diff ]] && formats+=" markdown"
      [[ $verb == plan ]] && formats+=" csv"
      [[ $verb == compare ]] && formats+=" csv markdown html"
      COMPREPLY=($(compgen -W "$formats" -- "$word"))
      return
      ;;
    --color)
      COMPREPLY=($(compgen -W "auto always never" -- "$word"))
      return
      ;;
    --theme)
      COMPREPLY=($(compgen -W "light dark auto" -- "$word"))
      return
      ;;
    --uses)
      COMPREPLY=($(compgen -W "allocation touches" -- "$word"))
      return
      ;;
    --lifetimes)
      COMPREPLY=($(compgen -W "plain cpu micro" -- "$word"))
      return
      ;;
    --match)
      COMPREPLY=($(compgen -W "id name" -- "$word"))
      return
      ;;
    --arena)
      COMPREPLY=($(compgen -W "micro" -- "$word"))
      return
      ;;
    --offline)
      COMPREPLY=($(compgen -W "honour ignore" -- "$word"))
      return
      ;;
    --bits)
      COMPREPLY=($(compgen -W "32 64" -- "$word"))
      return
      ;;
    --frees)
      COMPREPLY=($(compgen -W "completed requested" -- "$word"))
      return
      ;;
    --alive-before | --alive-after)
      COMPREPLY=($(compgen -W "keep leave" -- "$word"))
      return
      ;;
    --io-lifetime)
      COMPREPLY=($(compgen -W "keep use" -- "$word"))
      return
      ;;
    --sharing)
      if [[ $verb == verify ]]; then
        COMPREPLY=($(compgen -W "any" -- "$word"))
      else
        COMPREPLY=($(compgen -W "fixed groups none" -- "$word"))
      fi
      return
      ;;
    --copies)
      COMPREPLY=($(compgen -W "made chosen none" -- "$word"))
      return
      ;;
    --state)
      COMPREPLY=($(compgen -W "auto copy" -- "$word"))
      return
      ;;
    --aim)
      COMPREPLY=($(compgen -W "reserve ratio" -- "$word"))
      return
      ;;
    --calls)
      COMPREPLY=($(compgen -W "nested" -- "$word"))
      return
      ;;
    --together)
      COMPREPLY=($(compgen -W "sequence interleave" -- "$word"))
      return
      ;;
    --cost)
      COMPREPLY=($(compgen -W "bytes traffic" -- "$word"))
      return
      ;;
    --delegate)
      COMPREPLY=($(compgen -W "$(_stowage_delegates)" -- "$word"))
      return
      ;;
    --part | --dim | --default-dim | --claim | --max-partitions | --min-nodes | --alignment | --capacity | --pool | --time-limit | --nodes | --seed | --threads | \
      --partial | --shape | --parameter | --where | --at | --buckets | --state-io | --hand | --name | --top | --width | --height | --from | --to | --fail-above | --quiet-below | --subgraph | --tensor-alignment | --resource-variables | --arena-size | --memory-limit | --streams | --invocations | --max-turns | \
      --signature | --input | --repeat | --tolerance | --command | --traces | \
      --cost-limit | --pareto | --lanes | --title | --claims | \
      --family | --max-alignment | --timeout | --time-limit | --jobs)
      return
      ;;
  esac

  if [[ $word == -* && $previous != -o && $previous != --output ]]; then
    COMPREPLY=($(compgen -W "$(_stowage_options "$verb")" -- "$word"))
    return
  fi
  compopt -o filenames 2> /dev/null
  local IFS=$'\n'
  COMPREPLY=($(compgen -f -- "$word"))
}

_stowage_strategies() {
  stowage list 2> /dev/null | sed -n 's/^\([a-z0-9_]\{1,\}\).*/\1/p'
}

_stowage_delegates() {
  stowage list --delegates 2> /dev/null | sed -n 's/^\([a-z0-9_]\{1,\}\).*/\1/p'
}

_stowage_options() {
  local model="--subgraph --lifetimes --include-io --io-lifetime --offline --shape --strict"
  model+=" --tensor-alignment"
  local recording="--part --frees --alive-before --alive-after --uses --dim --default-dim"
  local trace="$model $recording --ignore-unknown-columns --at"
  local delegates="--delegate --claim --max-partitions --min-nodes"
  local search="--time-limit --nodes --seed --threads"
  local programs="--state --state-io --calls --signatures --together --hand"
  local events="--perfetto --lanes"
  echo "--help"
  case $1 in
    "offline strip" | "offline header" | report | replay) ;;
    *) echo "--format" ;;
  esac
  case $1 in
    list) echo "--delegates" ;;
    plan)
      echo "--strategy --kind --alignment --capacity --pool --cost --cost-limit --pareto --sharing --copies $programs --decide --aim --buckets --progress --shadow --relax $search" \
        "--svg --width --height --theme --certificate --html $events --output --no-names --all-tensors $trace --parameter --where"
      ;;
    compare) echo "--wide --strategies --kind --alignment --capacity --pool --cost --relax $search $trace" ;;
    verify) echo "--certificate --alignment --pool --cost --sharing $trace" ;;
    bounds) echo "$trace" ;;
    show) echo "--width --height --ascii --color --from --to --svg --theme $trace" ;;
    explain) echo "--top --replan --relax $search $trace" ;;
    report) echo "--output --title $events $trace" ;;
    trace) echo "--list-formats --output --names --streams --sharing --shadow --copies $programs $model --parameter --where $recording $delegates" ;;
    arena) echo "--bits --capacity --io-lifetime --resource-variables --shape --strict $search" ;;
    "offline write") echo "--output --strategy --partial --io-lifetime --strict $search" ;;
    "offline check") echo "--capacity --allow-custom-overlap --strict" ;;
    "offline strip") echo "--output --force" ;;
    "offline header")
      echo "--output --name --stack --strategy --bits --allow-custom-overlap --strict $search"
      ;;
    run)
      echo "--strategy --kind --alignment --lifetimes --io-lifetime --sharing" \
        "--arena --arena-size --offline --time-limit --nodes --preserve-all --memory-limit --subgraph --signature --state-io --hand --seed --invocations --streams --copies --state --max-turns" \
        "--input --dump --repeat --shape --parameter --where --at --strict --check --shadow --poison --touch-check" \
        "--memory --profile $events --delegate-fallback --bisect-delegate" \
        "--tolerance $delegates"
      ;;
    record) echo "--output --touches" ;;
    diff)
      echo "--tolerance --strategy --kind --match --top --fail-above" \
        "--quiet-below --name --relax $search $trace"
      ;;
    replay) echo "--poison" ;;
    check-planner)
      echo "--command --serve --kind --claims --traces --seed --family" \
        "--max-alignment --replay --keep-going --jobs --timeout --time-limit --junit --output"
      ;;
  esac
}

complete -F _stowage stowage
