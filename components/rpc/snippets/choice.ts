import type { Snippet, SnippetKind } from '@/components/rpc/snippets/types'
import { readPreference, writePreference } from '@/lib/browser/preferences'

/** The kind that was looked at last, where it is among these; else the first. */
export function chosenSnippet(snippets: readonly Snippet[]): SnippetKind {
  const wanted = readPreference('snippet')
  return (snippets.find(({ kind }) => kind === wanted) ?? snippets[0])?.kind ?? 'curl'
}

export const keepSnippet = (kind: SnippetKind): void => writePreference('snippet', kind)
