/**
 * Maps a list with at most `limit` calls under way, keeping its order. The first failure is thrown at once; calls under
 * way are not cancelled and no further one starts.
 */
export async function mapLimited<In, Out>(
  items: readonly In[],
  limit: number,
  map: (item: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const results = new Array<Out>(items.length)
  let next = 0
  let hasFailed = false
  async function work(): Promise<void> {
    while (next < items.length && !hasFailed) {
      const index = next++
      try {
        results[index] = await map(items[index]!, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
