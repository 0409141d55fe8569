import {
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  decodeAbiParameters,
  decodeEventLog,
  type Hex,
  hexToString,
  isAddressEqual,
  parseAbiItem,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import {
  amountInterpretations,
  type DecodeContext,
  type DecodedCall,
  type DecodedField,
  type DecodedNode,
  type InterpretationLike,
  listNode,
  type MessageDescriptor,
  msg,
  noted,
  timeInterpretation,
  tokenInterpretations,
  valueNode,
} from '@/components/rpc/response/decode/decoded'
import ERRORS from '@/components/rpc/response/decode/selectors/errors.json'
import EVENTS from '@/components/rpc/response/decode/selectors/events.json'
import FUNCTIONS from '@/components/rpc/response/decode/selectors/functions.json'

// Longer bytes are not decoded: a few that point at each other could stand for gigabytes.
const MAX_DATA_CHARS = 128 * 1024
// A multicall of a wallet's batch, and no further.
const MAX_CALL_DEPTH = 4
const SELECTOR_CHARS = 10

const TIME_NAME =
  /deadline|expir|^valid(?:After|Before|Until)$|timestamp|startedAt|updatedAt|availableAt|(?:start|end|withdraw)Time$/i
const AMOUNT_NAME =
  /amount|balance|asset|share|supply|allowance|liquidity|reserve[01]|reward|price|debt|deposit|premium|tokens(?:Sold|Bought)|answer|^fee$|cost|rate/i
const COIN_NAME = /^(?:value|msgValue|nativeFee|missingAccountFunds|actualGasCost|totalDeposit)$/

/** Decodes call data by its selector; undefined for an unknown one, or when the rest does not fit. */
export function callOf(context: DecodeContext, path: string, data: string, depth = 0): DecodedCall | undefined {
  const known = depth < MAX_CALL_DEPTH ? functionOf(data) : undefined
  return known && decodedCall('function', context, path, known, valuesOf(known.abi.inputs, argumentsOf(data)), depth)
}

export function errorOf(context: DecodeContext, path: string, data: string): DecodedCall | undefined {
  const known = isData(data) ? knownError(data.slice(0, SELECTOR_CHARS)) : undefined
  return known && decodedCall('error', context, path, known, valuesOf(known.abi.inputs, argumentsOf(data)))
}

export function eventOf(context: DecodeContext, path: string, topics: string[], data: string): DecodedCall | undefined {
  const [topic] = topics
  const known = topic !== undefined && data.length <= MAX_DATA_CHARS ? knownEvent(topic, topics.length) : undefined
  return known && decodedCall('event', context, path, known, logValuesOf(known.abi, topics, data))
}

function decodedCall(
  kind: DecodedCall['kind'],
  context: DecodeContext,
  path: string,
  { abi, standard, signature }: Known<{ name: string; inputs: readonly AbiParameter[] }>,
  values: readonly unknown[] | undefined,
  depth = 0,
): DecodedCall | undefined {
  if (!values) return undefined
  return { kind, name: abi.name, signature, standard, fields: fieldsOf(context, path, abi.inputs, values, depth) }
}

export function resultOf(
  context: DecodeContext,
  path: string,
  result: string,
  callData: string,
): { signature: string; standard: string; node: DecodedNode } | undefined {
  const known = functionOf(callData)
  if (!known || known.abi.outputs.length === 0 || result.length > MAX_DATA_CHARS) return undefined
  const node = outputsNode(context, path, known.abi, result, callData)
  return node && { signature: known.signature, standard: known.standard, node }
}

function outputsNode(
  context: DecodeContext,
  path: string,
  { name, outputs }: AbiFunction,
  result: string,
  callData: string,
): DecodedNode | undefined {
  const values = valuesOf(outputs, result)
  const single = outputs.length === 1 ? outputs[0] : undefined
  if (!values) {
    // Some of the oldest tokens say their name in one word instead of in a string.
    const text = single?.type === 'string' ? shortText(result) : undefined
    return text === undefined ? undefined : valueNode(context, result, [noted(text, 'bytes32')])
  }
  const inner = innerCalls(name, callData)
  if (inner) return innerResults(context, path, outputs, values, inner)
  if (single) return abiNode(context, path, single, values[0], name, 0)
  return { kind: 'record', fields: fieldsOf(context, path, outputs, values, 0), hidden: 0 }
}

function fieldsOf(
  context: DecodeContext,
  path: string,
  parameters: readonly AbiParameter[],
  values: readonly unknown[],
  depth: number,
): DecodedField[] {
  return parameters.map((parameter, index) => {
    const name = parameter.name || String(index)
    const type = parameter.type.replace(/^tuple/, 'struct')
    return { name, type, node: abiNode(context, `${path}/${name}`, parameter, values[index], name, depth) }
  })
}

function abiNode(
  context: DecodeContext,
  path: string,
  parameter: AbiParameter,
  value: unknown,
  name: string,
  depth: number,
): DecodedNode {
  const { type } = parameter
  const list = /^(.*)\[\d*\]$/.exec(type)
  if (list && Array.isArray(value)) {
    const element = { ...parameter, type: list[1]! }
    return listNode(context, path, value, (one, at) => abiNode(context, at, element, one, name, depth))
  }
  if (type === 'tuple' && 'components' in parameter && typeof value === 'object' && value !== null) {
    const parts = parameter.components.map((component) => (value as Record<string, unknown>)[component.name ?? ''])
    return { kind: 'record', fields: fieldsOf(context, path, parameter.components, parts, depth), hidden: 0 }
  }
  if (typeof value === 'bigint' || typeof value === 'number') {
    return valueNode(context, String(value), numberInterpretations(context, BigInt(value), name))
  }
  if (typeof value === 'boolean') return valueNode(context, value)
  const text = String(value)
  if (type === 'address') {
    const isZeroAddress = isAddressEqual(text as Hex, zeroAddress)
    const use = { kind: 'address', value: text } as const
    return valueNode(context, text, isZeroAddress ? [msg('zero address')] : [], { use })
  }
  const node = valueNode(context, text, type.startsWith('bytes') ? bytesInterpretations(text, type) : [])
  if (type !== 'bytes' || node.kind !== 'value') return node
  return { ...node, call: callOf(context, path, text, depth + 1) ?? errorOf(context, path, text) }
}

function numberInterpretations(context: DecodeContext, number: bigint, name: string): InterpretationLike[] {
  const time = TIME_NAME.test(name) ? timeInterpretation(number) : undefined
  if (time) return [time]
  if (COIN_NAME.test(name)) return amountInterpretations(number, context.network.currency)
  return tokenInterpretations(number, AMOUNT_NAME.test(name))
}

function bytesInterpretations(hex: string, type: string): InterpretationLike[] {
  if (type === 'bytes') return [sizeMessage(hex)]
  const text = shortText(hex)
  return text === undefined ? [] : [`“${text}”`]
}

export function sizeMessage(hex: string): MessageDescriptor {
  const bytes = Math.max(0, Math.ceil((hex.length - 2) / 2))
  return bytes === 0 ? msg('empty') : { counted: 'bytes', count: bytes }
}

/** Reads the text in a zero-padded word; undefined unless it is printable, with letters, and longer than a stray one. */
export function shortText(hex: string): string | undefined {
  if (!/^0x(?:[2-7][\da-f]){3,32}(?:00)*$/i.test(hex)) return undefined
  const text = hexToString(hex as Hex).replace(/\0+$/, '')
  return /^[\x20-\x7e]+$/.test(text) && /[a-z]/i.test(text) ? text : undefined
}

function innerCalls(name: string, callData: string): string[] | undefined {
  if (!/^(?:multicall|(?:try)?(?:blockAnd)?aggregate(?:3|3Value)?|tryBlockAndAggregate)$/i.test(name)) return undefined
  const known = functionOf(callData)
  const calls = known && valuesOf(known.abi.inputs, argumentsOf(callData))?.at(-1)
  if (!Array.isArray(calls)) return undefined
  return calls.map((call: unknown) =>
    typeof call === 'string' ? call : String((call as { callData?: unknown } | null)?.callData ?? ''),
  )
}

function innerResults(
  context: DecodeContext,
  path: string,
  outputs: readonly AbiParameter[],
  values: readonly unknown[],
  calls: string[],
): DecodedNode {
  const results = values.at(-1)
  const before = outputs.slice(0, -1)
  const list = listNode(context, path, Array.isArray(results) ? results : [], (one: unknown, at, index) => {
    const { success, returnData } =
      typeof one === 'string' ? { success: true, returnData: one } : (one as Record<string, unknown>)
    const data = String(returnData ?? '0x')
    const callData = calls[index] ?? ''
    const isSuccess = success === true
    const read = isSuccess ? resultOf(context, at, data, callData) : undefined
    const event = isSuccess ? undefined : errorOf(context, at, data)
    return {
      kind: 'record',
      title:
        functionOf(callData)?.signature ?? selectorIn(callData) ?? msg('call {place}', { place: String(index + 1) }),
      summary: isSuccess ? '' : msg('failed'),
      event,
      fields: [
        {
          name: isSuccess ? msg('returned') : msg('reverted with'),
          node: read?.node ?? valueNode(context, data, [sizeMessage(data)]),
        },
      ],
      hidden: 0,
    }
  })
  if (before.length === 0) return list
  const fields = fieldsOf(context, path, before, values.slice(0, -1), 0)
  return { kind: 'record', fields: [...fields, { name: outputs.at(-1)?.name ?? 'returnData', node: list }], hidden: 0 }
}

const selectorIn = (data: string): string | undefined => (isData(data) ? data.slice(0, SELECTOR_CHARS) : undefined)

function functionOf(data: string): Known<AbiFunction> | undefined {
  const selector = selectorIn(data)
  return selector === undefined ? undefined : knownFunction(selector)
}

const isData = (data: string): boolean =>
  data.length >= SELECTOR_CHARS && data.length <= MAX_DATA_CHARS && /^0x[\da-f]{8}/i.test(data)

const argumentsOf = (data: string): string => `0x${data.slice(SELECTOR_CHARS)}`

function valuesOf(parameters: readonly AbiParameter[], data: string): readonly unknown[] | undefined {
  if (parameters.length === 0) return []
  try {
    return decodeAbiParameters(parameters, data as Hex) as readonly unknown[]
  } catch {
    // The selector was of something else, or the bytes are cut.
    return undefined
  }
}

function logValuesOf(abi: AbiEvent, topics: string[], data: string): readonly unknown[] | undefined {
  try {
    const event = { abi: [abi], topics: topics as [Hex, ...Hex[]], data: data as Hex, strict: true } as const
    // Read by a type that is known only here; every one of ours names its arguments.
    const { args } = decodeEventLog(event) as { args?: Record<string, unknown> }
    return abi.inputs.map(({ name }) => args?.[name ?? ''])
  } catch {
    return undefined
  }
}

// Signatures in Solidity by standard or product. Of two functions with one selector the first wins; two events may
// share a topic and differ in what is indexed.
type Signatures = Readonly<Record<string, readonly string[]>>

type AbiError = { type: 'error'; name: string; inputs: AbiFunction['inputs'] }

type Known<Abi> = { abi: Abi; standard: string; signature: string }

type Table<Abi> = ReadonlyMap<string, readonly Known<Abi>[]>

export const knownFunction = (selector: string): Known<AbiFunction> | undefined =>
  functions().get(selector.toLowerCase())?.[0]

export const knownError = (selector: string): Known<AbiError> | undefined => errors().get(selector.toLowerCase())?.[0]

export const knownEvent = (topic: string, topics: number): Known<AbiEvent> | undefined =>
  events()
    .get(topic.toLowerCase())
    ?.find(({ abi }) => abi.inputs.filter(({ indexed }) => indexed).length === topics - 1)

// Tables are made on first use: it takes some milliseconds.
const functions = once(() => tableOf<AbiFunction>('function', FUNCTIONS, toFunctionSelector))
const errors = once(() => tableOf<AbiError>('error', ERRORS, ({ name, inputs }) => selectorOf(name, inputs)))
const events = once(() => tableOf<AbiEvent>('event', EVENTS, toEventSelector))

const selectorOf = (name: string, inputs: AbiError['inputs']): string =>
  toFunctionSelector({ type: 'function', name, inputs, outputs: [], stateMutability: 'view' })

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
      table.set(key, [...(table.get(key) ?? []), { abi, standard, signature }])
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
