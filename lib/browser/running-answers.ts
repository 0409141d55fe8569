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

let stop: ((chatId: string) => void) | undefined

/** Stops the answers that this page writes in a chat, if there are any. */
export const stopAnswers = (chatId: string): void => stop?.(chatId)

/** Says how that is done; what answers is on the page only where something was asked. */
export function provideStop(run: (chatId: string) => void): void {
  stop = run
}
