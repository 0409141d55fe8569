import 'server-only'

/** Position in its list, written by the list alone. An item is in one list at a time. */
export type Listed = { place?: number }

/**
 * Things that come and go by the thousand, in no order.
 *
 * For those a `Set` or `Map` is a leak: each of its tables points to the one that replaced it, and keeps its entries. A table
 * that has lived through two collections of young objects is collected with the old ones only, and until then keeps all that
 * came after it. Under load a fifth of what requests allocated lived that long (docs/performance.md, "Things that come and go").
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
