import { expect, type Page } from '@playwright/test'
import type { CreationFile, Generation } from '@/lib/browser/storage/generations'

export type KeptFile = CreationFile & { bytes: Uint8Array }

export const keptFile = (id: string, name: string, mediaType: string, bytes: Uint8Array, more = {}): KeptFile => ({
  ...{ id, hash: id, name, mediaType, size: bytes.length, bytes },
  ...more,
})

type KeptCreation = Pick<Generation, 'id' | 'kind' | 'task'> &
  Partial<Omit<Generation, 'inputs' | 'results'>> & { inputs?: KeptFile[]; results?: KeptFile[] }

/**
 * Writes results of the studio into the browser's storage as if they had been made, the last one latest. A page that
 * shows the studio already does not see them before it is opened again.
 */
export async function keepCreations(page: Page, creations: readonly KeptCreation[]): Promise<void> {
  const files = creations.flatMap(({ inputs = [], results = [] }) => [...inputs, ...results])
  const described = (kept: KeptFile[] = []) => kept.map(({ bytes: _, ...file }) => file)
  const rows = creations.map((creation, at) => ({
    ...{ modelId: 'model', modelName: 'Model', prompt: '', settings: {}, state: 'done', createdAt: at + 1 },
    ...creation,
    inputs: described(creation.inputs),
    results: described(creation.results),
  }))
  const blobs = files.map(({ hash, mediaType, size, bytes }) => ({
    ...{ hash, mediaType, size },
    base64: Buffer.from(bytes).toString('base64'),
  }))
  // The page makes the tables, and does so when it first reads one.
  await expect
    .poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)))
    .toContain('lagoon')
  await page.evaluate(
    async ({ rows, blobs }) => {
      const opening = indexedDB.open('lagoon')
      await new Promise((resolve) => {
        opening.onsuccess = resolve
      })
      const transaction = opening.result.transaction(['creations', 'blobs'], 'readwrite')
      for (const row of rows) transaction.objectStore('creations').put(row)
      for (const { base64, mediaType, hash, size } of blobs) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        transaction.objectStore('blobs').put({ hash, size, data: new Blob([bytes], { type: mediaType }) })
      }
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      opening.result.close()
    },
    { rows, blobs },
  )
}
