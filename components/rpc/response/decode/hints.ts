import type { DecodedNode, DecodedReply, Interpretation } from '@/components/rpc/response/decode/decoded'
import { grouped, quantityOf } from '@/components/rpc/response/decode/quantity'

/** Without leading zeros, which bytes have. */
const QUANTITY = /^0x(?:0|[1-9a-f][\da-f]{0,31})$/i

const ZEROS = /^0x00+$/

/** Meanings of values by their text; `undefined` for one that means different things. */
export type Hints = ReadonlyMap<string, Interpretation | undefined>

export function hintsOf({ items }: DecodedReply): Hints {
  const hints = new Map<string, Interpretation | undefined>()
  for (const { node, error } of items) {
    for (const root of [node, error?.revert]) if (root) collect(root, hints)
  }
  return hints
}

function collect(node: DecodedNode, hints: Map<string, Interpretation | undefined>): void {
  if (node.kind === 'record') for (const field of node.fields) collect(field.node, hints)
  if (node.kind === 'list') for (const item of node.items) collect(item, hints)
  if (node.kind !== 'value' || node.raw.length !== node.chars) return
  const [interpretation] = node.interpretations
  if (!interpretation) return
  const known = hints.get(node.raw)
  const isSame = known === undefined ? !hints.has(node.raw) : JSON.stringify(known) === JSON.stringify(interpretation)
  hints.set(node.raw, isSame ? interpretation : undefined)
}

export function hintFor(raw: string, hints: Hints): Interpretation | undefined {
  // Zeros say what they are.
  if (ZEROS.test(raw)) return undefined
  const interpretation = hints.get(raw)
  if (interpretation) return interpretation
  if (!QUANTITY.test(raw)) return undefined
  const number = quantityOf(raw)
  return number === undefined ? undefined : { kind: 'text', text: grouped(number) }
}
