import type { FuzzRequest } from '@/e2e/servers/fuzz/requests'

/** A request that showed a fault, for a shell, and what was answered. */
export type Example = { request: FuzzRequest; curl: string; reply: string }

const MAX_SHOWN = 40
const MAX_REPLY_CHARACTERS = 300

/** Faults by what they are, each with the shortest request that showed it. */
export function newFaults(seed: number) {
  const found = new Map<string, Example & { count: number }>()
  return {
    add(fault: string, example: Example): void {
      const name = `${example.request.operation.place}: ${fault}`
      const known = found.get(name)
      const shorter = known && bodyLength(known) <= bodyLength(example) ? known : example
      found.set(name, { ...shorter, count: (known?.count ?? 0) + 1 })
    },
    /** Nothing when there are none. */
    report: (): string =>
      [...found]
        .slice(0, MAX_SHOWN)
        .map(([name, { count, request, curl, reply }]) => {
          const how = [`FUZZ_SEED=${seed} FUZZ_ONLY=${request.number}`, ...request.changes, request.caller].join(', ')
          return `${name} (${count} times; ${how})\n  ${curl}\n  → ${reply.slice(0, MAX_REPLY_CHARACTERS)}`
        })
        .join('\n\n'),
  }
}

const bodyLength = ({ request }: Example): number => request.body?.length ?? 0
