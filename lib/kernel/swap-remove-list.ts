import 'server-only'

export type Listed = { place?: number }

/**
 * Unordered list of short-lived items with constant-time removal.
 *
 * A `Set` or `Map` keeps such items alive: each of its old tables points to the next one and keeps its entries, and a table that
 * survives two collections of young objects is only freed by a full collection. Under load a fifth of the allocations of
 * requests lived that long (docs/performance.md, "Short-lived objects").
 */
export class SwapRemoveList<T extends Listed> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: T): void {
    if (member.place === undefined) member.place = this.#members.push(member) - 1
  }

  delete(member: T): void {
    const { place } = member
    if (place === undefined) return
    member.place = undefined
    const last = this.#members.pop()!
    if (last === member) return
    this.#members[place] = last
    last.place = place
  }

  /**
   * Items may be added and removed during iteration: a removed one is not visited, a remaining one may be visited
   * twice.
   */
  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#members.length - 1; place >= 0; place--) {
      const member = this.#members[place]
      // Fewer may be left than there were.
      if (member) yield member
    }
  }
}
