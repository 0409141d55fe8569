let stop: ((chatId: string) => void) | undefined

/** Stops the answers that this page writes in a chat, if there are any. */
export const stopAnswers = (chatId: string): void => stop?.(chatId)

/** Says how that is done; what answers is on the page only where something was asked. */
export function provideStop(run: (chatId: string) => void): void {
  stop = run
}
