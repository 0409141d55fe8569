const LOOK_EVERY_MS = 500
/** Longer than any answer takes. */
const MAX_LOOKS = 3_600

/** Resolves when no answer is being written on this page. */
export async function untilIdle(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS && isWriting(); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

const isWriting = (): boolean => document.querySelector('article[aria-busy="true"]') !== null
