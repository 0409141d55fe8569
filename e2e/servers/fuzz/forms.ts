import type { Draw } from '@/e2e/servers/fuzz/draw'
import type { FuzzBody } from '@/e2e/servers/fuzz/json-bodies'
import type { JsonSchema, Operation } from '@/e2e/servers/fuzz/operations'
import { strangeName, strangeText } from '@/e2e/servers/fuzz/strange'
import { edgesOf, type Hints, valueFor } from '@/e2e/servers/fuzz/values'

/** Files that a form may hold, sound ones and others, by the type that is said of them. */
export type FormFiles = readonly { name: string; type: string; bytes: Buffer }[]
type Part = { name: string; file?: FormFiles[number]; text?: string }

const UNCHANGED_SHARE = 0.3
const MOST_FIELDS_ADDED = 3
const MANY_PARTS = 80

/** A multipart body with its content type. */
export type FuzzForm = FuzzBody & { contentType: string }

/** A form of an operation; as it is, with parts changed, or broken as bytes. */
export function formBody(
  { schema, example }: NonNullable<Operation['form']>,
  draw: Draw,
  { hints, files }: { hints: Hints; files: FormFiles },
): FuzzForm {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const parts = Object.entries(example).flatMap(([name, value]) => partsOf(name, value, properties[name], draw, files))
  const changes = ['form']
  for (let field = draw.below(MOST_FIELDS_ADDED + 1); field > 0; field--) {
    const [name, property] = draw.pick(Object.entries(properties))
    if (isFile(property)) continue
    const edges = edgesOf(property)
    const isEdge = edges.length > 0 && draw.chance(0.3)
    const value = isEdge ? draw.pick(edges) : valueFor(property, draw, hints, name)
    parts.push(...[value].flat().map((text) => ({ name, text: String(text) })))
    if (isEdge) changes.push(`edge of ${name}`)
  }
  const boundary = `fuzz${draw.below(1e9)}`
  const contentType = `multipart/form-data; boundary=${boundary}`
  if (draw.chance(UNCHANGED_SHARE)) return { bytes: encoded(parts, boundary), changes, contentType }
  const [change, make] = draw.pick(CHANGES)
  return { contentType, ...make({ parts, boundary, contentType, draw, files }), changes: [...changes, change] }
}

const isFile = (schema: JsonSchema): boolean =>
  'contentMediaType' in schema || (schema.items !== undefined && 'contentMediaType' in (schema.items as JsonSchema))

function partsOf(name: string, value: unknown, schema: JsonSchema | undefined, draw: Draw, files: FormFiles): Part[] {
  if (schema && isFile(schema)) {
    const count = schema.type === 'array' ? 1 + draw.below(3) : 1
    return Array.from({ length: count }, () => ({ name, file: draw.pick(files) }))
  }
  return [value].flat().map((text) => ({ name, text: String(text) }))
}

type Made = { bytes: Buffer; contentType?: string }
type Making = { parts: Part[]; boundary: string; contentType: string; draw: Draw; files: FormFiles }
type Change = [change: string, (making: Making) => Made]

const CHANGES: readonly Change[] = [
  ['a part less', ({ parts, boundary, draw }) => ({ bytes: encoded(without(parts, draw), boundary) })],
  ['a part twice', ({ parts, boundary, draw }) => ({ bytes: encoded([...parts, draw.pick(parts)], boundary) })],
  [
    'a strange part',
    ({ parts, boundary, draw }) => ({
      bytes: encoded([...parts, { name: strangeName(draw), text: strangeText(draw) }], boundary),
    }),
  ],
  [
    'strange texts',
    ({ parts, boundary, draw }) => ({
      bytes: encoded(
        parts.map((part) => (part.file ? part : { ...part, text: strangeText(draw) })),
        boundary,
      ),
    }),
  ],
  [
    'a file as text',
    ({ parts, boundary }) => ({
      bytes: encoded(
        parts.map(({ name, text = 'bytes' }) => ({ name, text })),
        boundary,
      ),
    }),
  ],
  [
    'a text as a file',
    ({ parts, boundary, draw, files }) => ({
      bytes: encoded(
        parts.map(({ name }) => ({ name, file: draw.pick(files) })),
        boundary,
      ),
    }),
  ],
  [
    'many parts',
    ({ parts, boundary, draw }) => ({
      bytes: encoded([...parts, ...Array.from({ length: MANY_PARTS }, () => draw.pick(parts))], boundary),
    }),
  ],
  [
    'a strange file name',
    ({ parts, boundary, draw }) => ({
      bytes: encoded(
        parts.map((part) => (part.file ? { ...part, file: { ...part.file, name: strangeText(draw) } } : part)),
        boundary,
      ),
    }),
  ],
  ['no parts', ({ boundary }) => ({ bytes: encoded([], boundary) })],
  ['nothing at all', () => ({ bytes: Buffer.alloc(0) })],
  ['cut', ({ parts, boundary, draw }) => ({ bytes: cut(encoded(parts, boundary), draw) })],
  ['another boundary', ({ parts, boundary }) => ({ bytes: encoded(parts, `${boundary}x`) })],
  ['no boundary', ({ parts, boundary }) => ({ bytes: encoded(parts, boundary), contentType: 'multipart/form-data' })],
  [
    'a strange boundary',
    ({ parts, draw }) => {
      const boundary = draw.pick(['"', '""', 'a b', 'x'.repeat(300), '=;', '--'])
      return { bytes: encoded(parts, boundary), contentType: `multipart/form-data; boundary=${boundary}` }
    },
  ],
  [
    'bare line feeds',
    ({ parts, boundary }) => ({
      bytes: Buffer.from(encoded(parts, boundary).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    }),
  ],
]

const without = (parts: Part[], draw: Draw): Part[] => parts.toSpliced(draw.below(parts.length), 1)
const cut = (bytes: Buffer, draw: Draw): Buffer => bytes.subarray(0, draw.below(bytes.length + 1))

function encoded(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, file, text = '' }) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
    if (!file) return [Buffer.from(`${head}\r\n\r\n${text}\r\n`)]
    const named = `${head}; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`
    return [Buffer.from(named), file.bytes, Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}
