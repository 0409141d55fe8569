import { useEffect } from 'react'
import { SERVICE_NAME } from '@/lib/contract/service-name'

/** The title that the router wrote last: it may write one long after the page is shown. */
let ofRouter = ''
let written = ''
let count = 0
/** Of parts of the page that have a better title than the router; the latest wins. */
const titles: { text: string }[] = []
let observer: MutationObserver | undefined

/** Shows `title`, followed by the name of the service, as long as it is mounted; undefined leaves the router's. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return
    const own = { text: `${title} · ${SERVICE_NAME}` }
    return show(
      () => titles.push(own),
      () => titles.splice(titles.indexOf(own), 1),
    )
  }, [title])
}

/** Shows a number before the title, unless it is 0. */
export function useTitleCount(next: number): void {
  useEffect(() => {
    if (next === 0) return
    return show(
      () => {
        count = next
      },
      () => {
        count = 0
      },
    )
  }, [next])
}

function show(set: () => void, unset: () => void): () => void {
  noteRouter()
  set()
  write()
  return () => {
    noteRouter()
    unset()
    write()
  }
}

function noteRouter(): void {
  if (document.title !== written) ofRouter = document.title
}

function write(): void {
  const title = titles.at(-1)?.text ?? ofRouter
  written = count > 0 ? `(${count}) ${title}` : title
  if (document.title !== written) document.title = written
  const isShown = titles.length > 0 || count > 0
  if (isShown && !observer) {
    observer = new MutationObserver(() => {
      noteRouter()
      write()
    })
    observer.observe(document.head, { subtree: true, childList: true, characterData: true })
  }
  if (!isShown) {
    observer?.disconnect()
    observer = undefined
    written = ''
  }
}
