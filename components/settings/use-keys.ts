import { useSyncExternalStore } from 'react'
import { usePreference } from '@/lib/browser/preferences'
import { type ChosenKeys, chosenKeys } from '@/lib/browser/shortcuts'

const NOTHING: ChosenKeys = {}
const NEVER = () => () => undefined

/** The keys that this person chose; the page starts without them, as the server wrote it. */
export function useChosenKeys(): ChosenKeys {
  const [text] = usePreference('keys')
  const isHere = useSyncExternalStore(
    NEVER,
    () => true,
    () => false,
  )
  return isHere ? chosenKeys(text) : NOTHING
}
