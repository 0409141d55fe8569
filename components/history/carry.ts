import type { DragEvent } from 'react'

/** What is carried: ids of chats of this device, one a line. Text fields and other programs do not know the type. */
const TYPE = 'application/x-lagoon-chats'
const MAX_IDS = 10_000

/** Takes chats along with the pointer. */
export function carryChats(event: DragEvent, ids: readonly string[]): void {
  event.dataTransfer.setData(TYPE, ids.join('\n'))
  event.dataTransfer.effectAllowed = 'all'
}

export const isCarryingChats = (event: DragEvent): boolean => event.dataTransfer.types.includes(TYPE)

export function carriedChats(event: DragEvent): string[] {
  return event.dataTransfer.getData(TYPE).split('\n').filter(Boolean).slice(0, MAX_IDS)
}
