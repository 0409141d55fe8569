import type { DecodedNode, DecodedReply, Reading } from '@/components/rpc/response/decode/decoded'
import { grouped, quantityOf } from '@/components/rpc/response/decode/quantity'

/** A number in hex as nodes write one: without leading zeros, which bytes have. */
const QUANTITY = /^0x(?:0|[1-9a-f][\da-f]{0,31})$/i

const ZEROS = /^0x00+$/

/** What values in a reply mean, by how they are written; `undefined` for one that means different things. */
export type Hints = ReadonlyMap<string, Reading | undefined>

/** Collects the first meaning of every value that was decoded. */
export function hintsOf({ items }: DecodedReply): Hints {
  const hints = new Map<string, Reading | undefined>()
  for (const { node, error } of items) {
    for (const root of [node, error?.revert]) if (root) collect(root, hints)
  }
  return hints
}

function collect(node: DecodedNode, hints: Map<string, Reading | undefined>): void {
  if (node.kind === 'record') for (const field of node.fields) collect(field.node, hints)
  if (node.kind === 'list') for (const item of node.items) collect(item, hints)
  if (node.kind !== 'value' || node.raw.length !== node.chars) return
  const [reading] = node.readings
  if (!reading) return
  const known = hints.get(node.raw)
  const isSame = known === undefined ? !hints.has(node.raw) : JSON.stringify(known) === JSON.stringify(reading)
  hints.set(node.raw, isSame ? reading : undefined)
}

/** What one value says beside how it is written: its meaning, else as a hex number its decimals; nothing where that adds nothing. */
export function hintFor(raw: string, hints: Hints): Reading | undefined {
  // Zeros say what they are.
  if (ZEROS.test(raw)) return undefined
  const reading = hints.get(raw)
  if (reading) return reading
  if (!QUANTITY.test(raw)) return undefined
  const number = quantityOf(raw)
  return number === undefined ? undefined : { kind: 'text', text: grouped(number) }
}
