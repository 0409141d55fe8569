import { type BatchItem, faultOf } from '@/components/rpc/batch/items'
import { paramsOf } from '@/components/rpc/link'
import type { ParamProblem } from '@/components/rpc/methods/types'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

/** What is said under a call at most. */
const MAX_NOTES = 3

type RowNote = { text: string; severity: ParamProblem['severity'] }

/** `fault`: it cannot be sent. `notes`: it can, and a node will most likely not like it. */
export type RowProblems = { fault?: string; notes: RowNote[] }

/** @param check what is known of the method's parameters; nothing while that is fetched, or for a method nobody knows. */
export function problemsOf(
  item: BatchItem,
  network: RpcNetwork,
  check: ((params: unknown) => ParamProblem[]) | undefined,
): RowProblems {
  const fault = faultOf(item, network)
  if (fault !== undefined) return { fault, notes: [] }
  const found = check?.(paramsOf(item.paramsText)) ?? []
  return {
    notes: found.slice(0, MAX_NOTES).map(({ path, message, severity }) => ({ text: said(path, message), severity })),
  }
}

/** @example said([0, 'to'], 'Write an address.') // "Parameter 1 › to: Write an address." */
function said(path: readonly (string | number)[], message: string): string {
  const [first, ...rest] = path
  if (first === undefined) return message
  const steps = rest.map((step) => (typeof step === 'number' ? step + 1 : step))
  return `${[typeof first === 'number' ? t('Parameter {place}', { place: String(first + 1) }) : first, ...steps].join(' › ')}: ${message}`
}
