import { useEffect } from 'react'
import { create } from 'zustand'
import { readPreference, usePreference, writePreference } from '@/lib/browser/preferences'

const useTemporaryModel = create<{ id?: string }>(() => ({}))
let isHiding = false

/**
 * Returns the model chosen last, `''` for none. `isHidden`: the chat on screen is a temporary one, whose choice stays
 * in memory.
 */
export function useWantedModel(isHidden: boolean): string {
  const [stored] = usePreference('model')
  const chosen = useTemporaryModel(({ id }) => id)
  useEffect(() => {
    isHiding = isHidden
  }, [isHidden])
  return isHidden ? (chosen ?? stored) : stored
}

export const wantedModel = (): string => (isHiding && useTemporaryModel.getState().id) || readPreference('model')

export function pickModel(id: string): void {
  if (isHiding) useTemporaryModel.setState({ id })
  else writePreference('model', id)
}

let hasBegun = false

export function useNewModel(isNew: boolean): void {
  useEffect(() => {
    if (isNew && !hasBegun) takeNewModel()
    hasBegun = true
  }, [isNew])
}

export function takeNewModel(): void {
  const model = readPreference('newModel')
  if (model !== '' && model !== readPreference('model')) writePreference('model', model)
}
