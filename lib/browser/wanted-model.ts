import { useEffect } from 'react'
import { create } from 'zustand'
import { readPreference, usePreference, writePreference } from '@/lib/browser/preferences'

/** What was chosen in a temporary chat: in memory only, as all of it. */
const useTemporaryModel = create<{ id?: string }>(() => ({}))
let isHiding = false

/** The model that was chosen last, `''` for none. `isHidden`: the chat on screen is a temporary one. */
export function useWantedModel(isHidden: boolean): string {
  const [kept] = usePreference('model')
  const chosen = useTemporaryModel(({ id }) => id)
  useEffect(() => {
    isHiding = isHidden
  }, [isHidden])
  return isHidden ? (chosen ?? kept) : kept
}

export const wantedModel = (): string => (isHiding && useTemporaryModel.getState().id) || readPreference('model')

/** Chooses who answers. A temporary chat leaves no trace of it. */
export function pickModel(id: string): void {
  if (isHiding) useTemporaryModel.setState({ id })
  else writePreference('model', id)
}

let hasBegun = false

/** The page of a new chat that is opened by its address begins with the model that new chats begin with, as others do. */
export function useNewModel(isNew: boolean): void {
  useEffect(() => {
    if (isNew && !hasBegun) takeNewModel()
    hasBegun = true
  }, [isNew])
}

/** Puts the model that new chats begin with, where one was chosen, in the place of the last one used. */
export function takeNewModel(): void {
  const model = readPreference('newModel')
  if (model !== '' && model !== readPreference('model')) writePreference('model', model)
}
