import { type AbiEvent, type AbiFunction, parseAbiItem, toEventSelector, toFunctionSelector } from 'viem'
import ERRORS from '@/components/rpc/response/decode/selectors/errors.json'
import EVENTS from '@/components/rpc/response/decode/selectors/events.json'
import FUNCTIONS from '@/components/rpc/response/decode/selectors/functions.json'

/**
 * Signatures that contracts have in common, as Solidity writes them, by the standard or the product that they are known
 * from. Where two functions have the same selector the first one names it; two events may share a topic and differ in
 * what is indexed.
 */
type Signatures = Readonly<Record<string, readonly string[]>>

type AbiError = { type: 'error'; name: string; inputs: AbiFunction['inputs'] }

/** A signature that we know: where it is from, and how it is written without what is needed to decode it. */
export type Known<Abi> = { abi: Abi; standard: string; signature: string }

type Table<Abi> = ReadonlyMap<string, readonly Known<Abi>[]>

/** Selectors of the common functions, four bytes in hex. Made when first asked for: it takes some milliseconds. */
export const knownFunction = (selector: string): Known<AbiFunction> | undefined =>
  functions().get(selector.toLowerCase())?.[0]

export const knownError = (selector: string): Known<AbiError> | undefined => errors().get(selector.toLowerCase())?.[0]

/** The event of a log by its first topic, and by how many topics it has: ERC-20 and ERC-721 share theirs. */
export const knownEvent = (topic: string, topics: number): Known<AbiEvent> | undefined =>
  events()
    .get(topic.toLowerCase())
    ?.find(({ abi }) => abi.inputs.filter(({ indexed }) => indexed).length === topics - 1)

const functions = once(() => tableOf<AbiFunction>('function', FUNCTIONS, toFunctionSelector))
const errors = once(() => tableOf<AbiError>('error', ERRORS, ({ name, inputs }) => selectorOf(name, inputs)))
const events = once(() => tableOf<AbiEvent>('event', EVENTS, toEventSelector))

function selectorOf(name: string, inputs: AbiError['inputs']): string {
  return toFunctionSelector({ type: 'function', name, inputs, outputs: [], stateMutability: 'view' })
}

function tableOf<Abi extends AbiFunction | AbiEvent | AbiError>(
  kind: Abi['type'],
  groups: Signatures,
  keyOf: (abi: Abi) => string,
): Table<Abi> {
  const table = new Map<string, Known<Abi>[]>()
  for (const [standard, lines] of Object.entries(groups)) {
    for (const line of lines) {
      // The text is ours and of this kind; the parser's type only knows literals.
      const abi = parseAbiItem(`${kind} ${line}` as string) as unknown as Abi
      const key = keyOf(abi)
      const signature = line.replace(/ (?:pure|view|payable|returns).*$/, '')
      const known = { abi, standard, signature }
      const others = table.get(key)
      if (others) others.push(known)
      else table.set(key, [known])
    }
  }
  return table
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
