import type { Snippet, SnippetKind } from '@/lib/client/snippets/types'

const STORAGE_KEY = 'lagoon:snippet'

/** The kind that was looked at last, where it is among these; else the first. */
export function chosenSnippet(snippets: readonly Snippet[]): SnippetKind {
  const wanted = stored()
  return (snippets.find(({ kind }) => kind === wanted) ?? snippets[0])?.kind ?? 'curl'
}

export function keepSnippet(kind: SnippetKind): void {
  try {
    localStorage.setItem(STORAGE_KEY, kind)
  } catch {
    // Storage may be switched off or full: the choice then lasts as long as what is open.
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}
