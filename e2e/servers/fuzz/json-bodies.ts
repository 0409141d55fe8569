import type { Draw } from '@/e2e/servers/fuzz/draw'
import type { JsonSchema, Operation } from '@/e2e/servers/fuzz/operations'
import { nested, otherKind, RAW_NUMBERS, strangeName, strangeNumber, strangeText } from '@/e2e/servers/fuzz/strange'
import { edgesOf, type Hints, valueFor } from '@/e2e/servers/fuzz/values'

/** A body, and what was done to it in a word each. */
export type FuzzBody = { bytes: Buffer; changes: string[] }

const EXAMPLE_SHARE = 0.6
const UNCHANGED_SHARE = 0.25
const BROKEN_SHARE = 0.15
const MOST_FIELDS_ADDED = 3
const MOST_CHANGES = 2
/** Places that are looked at of a body, so that a long one stays quick. */
const MAX_SPOTS = 400

/** A body of an operation: its example or one of its schema's making; as it is, changed in places, or broken as text. */
export function jsonBody({ schema, example }: NonNullable<Operation['json']>, draw: Draw, hints: Hints): FuzzBody {
  const isExample = draw.chance(EXAMPLE_SHARE)
  const holder = { body: isExample ? withMore(example, schema, draw, hints) : valueFor(schema, draw, hints) }
  const changes = [isExample ? 'example' : 'generated']
  if (!draw.chance(UNCHANGED_SHARE)) {
    const times = 1 + draw.below(MOST_CHANGES)
    for (let time = 0; time < times; time++) changes.push(changeOne(holder, schema, draw))
  }
  const text = JSON.stringify(holder.body) ?? ''
  if (!draw.chance(BROKEN_SHARE)) return { bytes: Buffer.from(text), changes }
  const [change, broken] = draw.pick(BREAKS)
  return { bytes: Buffer.from(broken(text, draw)), changes: [...changes, change] }
}

/** The example, with a few of the other fields. */
function withMore(example: unknown, schema: JsonSchema, draw: Draw, hints: Hints): unknown {
  const body = structuredClone(example)
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  if (typeof body !== 'object' || body === null || Array.isArray(body) || properties.length === 0) return body
  const added = draw.below(MOST_FIELDS_ADDED + 1)
  for (let field = 0; field < added; field++) {
    const [name, property] = draw.pick(properties)
    Object.assign(body, { [name]: valueFor(property, draw, hints, name) })
  }
  return body
}

type Spot = { holder: Record<string, unknown>; key: string }

/** Every place of a value, itself the first. */
function spotsOf(holder: object): Spot[] {
  const found: Spot[] = []
  const open: object[] = [holder]
  for (let at = 0; at < open.length && found.length < MAX_SPOTS; at++) {
    const parent = open[at] as Record<string, unknown>
    for (const [key, value] of Object.entries(parent)) {
      found.push({ holder: parent, key })
      if (typeof value === 'object' && value !== null) open.push(value)
    }
  }
  return found
}

/** Changes one place of a body. @returns in a word, how */
function changeOne(root: { body: unknown }, schema: JsonSchema, draw: Draw): string {
  const spots = spotsOf(root)
  if (spots.length === 0) return 'nothing'
  const inside = spots.length > 1 ? spots.slice(1) : spots
  const spot = draw.pick(inside)
  const { body } = root
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  const fields = isObject ? (body as Record<string, unknown>) : undefined
  const change = draw.pick(['edge', 'edge', 'edge', 'swap', 'swap', 'drop', 'add', 'text', 'number', 'nest', 'root'])
  switch (change) {
    case 'edge': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
      if (!fields || properties.length === 0) return 'nothing'
      const [name, property] = draw.pick(properties)
      const edges = edgesOf(property)
      if (edges.length === 0) return 'nothing'
      fields[name] = draw.pick(edges)
      return `edge of ${name}`
    }
    case 'swap':
      spot.holder[spot.key] = otherKind(spot.holder[spot.key], draw)
      break
    case 'drop':
      delete spot.holder[spot.key]
      break
    case 'add':
      // As JSON has it: a field like any other, whatever its name.
      Object.defineProperty(fields ?? root, strangeName(draw), {
        value: strangeText(draw),
        enumerable: true,
        configurable: true,
        writable: true,
      })
      break
    case 'text':
      spot.holder[spot.key] = strangeText(draw)
      break
    case 'number':
      spot.holder[spot.key] = strangeNumber(draw)
      break
    case 'nest':
      spot.holder[spot.key] = nested(draw)
      break
    default:
      root.body = draw.pick<unknown>([null, [], {}, 'text', 7, true, [body], { body }])
  }
  return `${change} ${spot.key}`
}

type Break = [change: string, (text: string, draw: Draw) => string | Buffer]

/** What is done to a body as text. */
const BREAKS: readonly Break[] = [
  ['nothing at all', () => ''],
  ['cut', (text, draw) => text.slice(0, draw.below(text.length + 1))],
  ['a byte too many', (text, draw) => inserted(text, draw, draw.pick(['{', '}', '"', ',', '\\', '\u0001', 'é', '//']))],
  ['a raw number', (text, draw) => text.replace(/:\s*("[^"]*"|-?\d+|true|false)/, `:${draw.pick(RAW_NUMBERS)}`)],
  ['a key twice', (text) => text.replace(/^\{("[^"]+"):/, '{$1:null,$1:')],
  ['all keys twice', (text) => text.replace(/^\{(.*)\}$/s, '{$1,$1}')],
  ['a comma at the end', (text) => text.replace(/([}\]])$/, ',$1')],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['two roots', (text) => text + text],
  ['blanks around', (text) => `\n\t ${text}\r\n `],
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['no UTF-8', (text, draw) => Buffer.from(inserted(text, draw, 'ÿþ'), 'latin1')],
  ['deeper than any stack', (_, draw) => draw.pick(['[', '{"a":']).repeat(50_000)],
  ['a lone escape', (text, draw) => inserted(text, draw, '\\ud800')],
  [
    'words of a program',
    (_, draw) => draw.pick(['NaN', 'undefined', 'Infinity', '0x1', '01', '+1', '.5', '{a:1}', '/**/{}']),
  ],
]

function inserted(text: string, draw: Draw, piece: string): string {
  const at = draw.below(text.length + 1)
  return text.slice(0, at) + piece + text.slice(at)
}
