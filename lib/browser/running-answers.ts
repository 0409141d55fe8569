const LOOK_EVERY_MS = 500
const MAX_LOOKS = 3_600

export async function untilIdle(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS && isWriting(); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

export const isWriting = (): boolean => document.querySelector('article[aria-busy="true"]') !== null

let stop: ((chatId: string) => void) | undefined

export const stopAnswers = (chatId: string): void => stop?.(chatId)

export function provideStop(run: (chatId: string) => void): void {
  stop = run
}
