import 'server-only'
import {
  DOCS,
  type DocsPage,
  type DocsTree,
  ERRORS,
  guideHref,
  HEADERS,
  type PagesAround,
  REFERENCE,
} from '@/lib/contract/docs'
import { guides, referenceText } from '@/lib/endpoints/docs/guides'
import { reference } from '@/lib/endpoints/docs/reference'

let tree: DocsTree | undefined

export function docsTree(): DocsTree {
  tree ??= {
    start: { href: DOCS, title: 'Overview' },
    guides: guides().map(({ slug, title }) => ({ href: guideHref(slug), title })),
    reference: [
      { href: REFERENCE, title: referenceText().title },
      { href: ERRORS, title: 'Errors' },
      { href: HEADERS, title: 'Headers' },
    ],
    groups: reference().groups.map(({ href, name, operations }) => ({
      page: { href, title: name },
      pages: operations.map((operation) => ({ href: operation.href, title: operation.summary })),
    })),
  }
  return tree
}

export function docsPages(): DocsPage[] {
  const { start, guides, reference, groups } = docsTree()
  return [start, ...guides, ...reference, ...groups.flatMap(({ page, pages }) => [page, ...pages])]
}

export function pagesAround(href: string): PagesAround {
  const pages = docsPages()
  const at = pages.findIndex((page) => page.href === href)
  if (at < 0) return {}
  const [before, after] = [pages[at - 1], pages[at + 1]]
  return { ...(before && { before }), ...(after && { after }) }
}
