import type { Params, RouteHandler } from '@/lib/api/endpoint'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export type Method = (typeof METHODS)[number]

/** What a route module exports: a handler for each method it answers, and whatever else Next reads there. */
export type RouteModule = { readonly [method in Method]?: RouteHandler }

/** One line of the route table: the folders of `app/` below the root, as they are called there (`[id]`, `[...path]`). */
export type Route = { pattern: readonly string[]; module: RouteModule }

export type Match = { module: RouteModule; params: Params }

type Node = {
  fixed: Map<string, Node>
  dynamic?: { name: string; node: Node }
  rest?: { name: string; module: RouteModule }
  module?: RouteModule
}

const MAX_SEGMENTS = 32
/** Paths with parameters that are found again without a search, and how long one may be. */
const MAX_REMEMBERED = 1_000
const MAX_REMEMBERED_CHARACTERS = 256

/**
 * Finds who answers a path, as Next does: a fixed segment before `[name]` before `[...name]`.
 *
 * @throws URIError when a segment of the path is not valid percent-encoding.
 */
export function createRouter(routes: readonly Route[]): (path: string) => Match | undefined {
  const root: Node = { fixed: new Map() }
  const whole = new Map<string, Match>()
  for (const { pattern, module } of routes) {
    add(root, pattern, module)
    if (!pattern.some((segment) => segment.startsWith('['))) whole.set(`/${pattern.join('/')}`, { module, params: {} })
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

function add(root: Node, pattern: readonly string[], module: RouteModule): void {
  let node = root
  for (const segment of pattern) {
    const [, dots, name] = /^\[(\.\.\.)?([^\]]+)\]$/.exec(segment) ?? []
    if (dots && name) {
      node.rest = { name, module }
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
  node.module = module
}

function find(node: Node, segments: string[], index: number): Match | undefined {
  if (index === segments.length) return node.module && { module: node.module, params: {} }
  const segment = segments[index]!
  const fixed = node.fixed.get(segment)
  const byName = fixed && find(fixed, segments, index + 1)
  if (byName) return byName
  if (node.dynamic && segment !== '') {
    const match = find(node.dynamic.node, segments, index + 1)
    if (match) return { module: match.module, params: { ...match.params, [node.dynamic.name]: segment } }
  }
  return node.rest && { module: node.rest.module, params: { [node.rest.name]: segments.slice(index) } }
}
