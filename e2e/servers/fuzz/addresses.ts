import type { Draw } from '@/e2e/servers/fuzz/draw'
import type { Operation, Parameter } from '@/e2e/servers/fuzz/operations'
import { strangeName, strangeNumber, strangeText } from '@/e2e/servers/fuzz/strange'
import { edgesOf, type Hints, valueFor } from '@/e2e/servers/fuzz/values'

const USUAL_SHARE = 0.75
const ANY_QUERY_SHARE = 0.25
/** Of the 16 KB that a head may have, which other tests look at. */
const MAX_ADDRESS_CHARACTERS = 4_000
/** As they are sent: what cannot be read as percent-encoding, and what goes somewhere else when it is. */
const RAW_SEGMENTS = [
  '%',
  '%zz',
  '%E0%A4%A',
  '%00',
  '%2e%2e',
  '..%2f..',
  '%252e',
  'a%2Fb',
  ';',
  'a;b=c',
  '@',
  '~',
  "'",
  '*',
]
const RAW_QUERIES = [
  '?',
  '?&&&',
  '?=',
  '?%',
  '?%E0%A4%A',
  '?a[]=1&a[]=2',
  '?a=1;b=2',
  '??',
  '?#',
  '?+=+',
  '?__proto__=1',
]

/** The address of a request below the base, and what is odd about it. */
export function addressOf(
  { path, parameters }: Operation,
  draw: Draw,
  hints: Hints,
): { address: string; changes: string[] } {
  const changes: string[] = []
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.name === name && one.in === 'path')!
    if (draw.chance(USUAL_SHARE)) return encodeURIComponent(usualOf(parameter, draw, hints))
    changes.push(`strange ${name}`)
    return draw.chance(0.5) ? draw.pick(RAW_SEGMENTS) : encoded(strangeText(draw)) || '%20'
  })
  const { query, change } = queryOf(parameters, draw, hints)
  if (change) changes.push(change)
  return { address: (inPath + query).slice(0, MAX_ADDRESS_CHARACTERS), changes }
}

function usualOf({ name, schema, example }: Parameter, draw: Draw, hints: Hints): string {
  const hinted = hints[name]
  if (hinted) return String(draw.pick(hinted))
  return Array.isArray(schema.enum) ? String(draw.pick(schema.enum)) : (example ?? 'unknown')
}

function queryOf(parameters: Parameter[], draw: Draw, hints: Hints): { query: string; change?: string } {
  const known = parameters.filter((parameter) => parameter.in === 'query')
  if (known.length === 0 && !draw.chance(ANY_QUERY_SHARE)) return { query: '' }
  if (draw.chance(0.08)) return { query: draw.pick(RAW_QUERIES), change: 'raw query' }
  const pairs: [name: string, value: string][] = []
  let change: string | undefined
  for (const { name, schema, required } of known) {
    if (!required && !draw.chance(0.35)) continue
    const way = draw.pick(['valid', 'valid', 'valid', 'edge', 'text', 'number', 'twice'])
    const edges = edgesOf(schema)
    const value =
      way === 'edge' && edges.length > 0
        ? draw.pick(edges)
        : way === 'text'
          ? strangeText(draw)
          : way === 'number'
            ? strangeNumber(draw)
            : valueFor(schema, draw, hints, name)
    pairs.push([name, String(value)])
    if (way === 'twice') pairs.push([name, String(valueFor(schema, draw, hints, name))])
    if (way !== 'valid') change = `${way} ${name}`
  }
  if (draw.chance(0.1)) {
    pairs.push([strangeName(draw), strangeText(draw)])
    change = 'unknown parameter'
  }
  if (pairs.length === 0) return { query: '' }
  return { query: `?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`, change }
}

/** A lone surrogate has no form in an address. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())
