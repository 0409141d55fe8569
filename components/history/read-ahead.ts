/** A pointer that passes by does not stay this long on a name. */
const REST_MS = 80
/** Someone who has come this near and not pressed may still do so. */
const KEEP_MS = 3_000

let ahead: { chatId: string; stop: Promise<() => void>; end?: ReturnType<typeof setTimeout> } | undefined
let rest: ReturnType<typeof setTimeout> | undefined

/** A pointer moves over the name of a chat: once it rests there, the chat is read, since it is about to be opened. */
export function onNear(chatId: string): void {
  clearTimeout(rest)
  if (ahead?.chatId === chatId) onPress(chatId)
  else rest = setTimeout(() => onPress(chatId), REST_MS)
}

/** The name of a chat is pressed: it is read before the press becomes a click. */
export function onPress(chatId: string): void {
  clearTimeout(rest)
  if (ahead?.chatId !== chatId) {
    drop()
    ahead = { chatId, stop: read(chatId) }
  }
  clearTimeout(ahead.end)
  ahead.end = setTimeout(drop, KEEP_MS)
}

/** The pointer has left the name. */
export function onAway(): void {
  clearTimeout(rest)
}

function drop(): void {
  clearTimeout(ahead?.end)
  void ahead?.stop.then((stop) => stop())
  ahead = undefined
}

async function read(chatId: string): Promise<() => void> {
  try {
    return (await import('@/lib/client/history/use-thread')).readAhead(chatId)
  } catch {
    // Without a connection it is read when it is opened, if it can be.
    return () => undefined
  }
}
