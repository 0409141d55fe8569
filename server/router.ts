import type { Params, RouteHandler } from '@/lib/pipeline/endpoint'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]

export type RouteModule = { readonly [method in Method]?: RouteHandler }

/** Folders of `app/` below the root, as named there (`[id]`, `[...path]`). */
export type Route = { pattern: readonly string[]; module: RouteModule }

/** `pattern`: for logs and metrics. @example "/api/v1/crypto/rpc/:network" */
export type Match = { module: RouteModule; params: Params; pattern: string }

type Node = {
  fixed: Map<string, Node>
  dynamic?: { name: string; node: Node }
  rest?: { name: string; end: End }
  end?: End
}

type End = Pick<Match, 'module' | 'pattern'>

const PARAMETER = /^\[(\.\.\.)?([^\]]+)\]$/
const MAX_SEGMENTS = 32
const MAX_REMEMBERED = 1_000
const MAX_REMEMBERED_CHARACTERS = 256

/**
 * Creates a router with Next's precedence: a fixed segment before `[name]` before `[...name]`.
 *
 * @throws URIError when a segment is not valid percent-encoding.
 */
export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const root: Node = { fixed: new Map() }
  const whole = new Map<string, Match>()
  for (const { pattern, module } of routes) {
    const end = { module, pattern: `/${pattern.map(nameOf).join('/')}` }
    add(root, pattern, end)
    if (!pattern.some((segment) => segment.startsWith('['))) whole.set(end.pattern, { ...end, params: {} })
  }
  const remembered = new Map<string, Match>()
  return (path) => {
    const known = whole.get(path) ?? remembered.get(path)
    if (known) return known
    // `/models/` is `/models`: a redirect would lose the body of many clients.
    const segments = path.slice(1).split('/', MAX_SEGMENTS + 1)
    if (segments.at(-1) === '') segments.pop()
    if (segments.length > MAX_SEGMENTS) return undefined
    const found = find(root, segments.map(decodeURIComponent), 0)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    if (found && path.length <= MAX_REMEMBERED_CHARACTERS) remembered.set(path, found)
    return found
  }
}

const nameOf = (segment: string): string => segment.replace(PARAMETER, ':$2')

function add(root: Node, pattern: readonly string[], end: End): void {
  let node = root
  for (const segment of pattern) {
    const [, dots, name] = PARAMETER.exec(segment) ?? []
    if (dots && name) {
      node.rest = { name, end }
      return
    }
    if (name) {
      node.dynamic ??= { name, node: { fixed: new Map() } }
      if (node.dynamic.name !== name) throw new Error(`[${name}] and [${node.dynamic.name}] stand in one place`)
      node = node.dynamic.node
    } else {
      const next = node.fixed.get(segment) ?? { fixed: new Map() }
      node.fixed.set(segment, next)
      node = next
    }
  }
  node.end = end
}

function find(node: Node, segments: string[], index: number): Match | undefined {
  if (index === segments.length) return node.end && { ...node.end, params: {} }
  const segment = segments[index]!
  const fixed = node.fixed.get(segment)
  const byName = fixed && find(fixed, segments, index + 1)
  if (byName) return byName
  if (node.dynamic && segment !== '') {
    const match = find(node.dynamic.node, segments, index + 1)
    if (match) return { ...match, params: { ...match.params, [node.dynamic.name]: segment } }
  }
  return node.rest && { ...node.rest.end, params: { [node.rest.name]: segments.slice(index) } }
}
