'use client'

import { Search, TableOfContents } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { TopBar } from '@/components/common/top-bar'
import { DocsNav } from '@/components/docs/docs-nav'
import { SearchField } from '@/components/docs/search-field'
import { DOCS, type DocsTree, SEARCH } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

const NavSheet = dynamic(() => import('@/components/docs/nav-sheet').then((module) => module.NavSheet), { ssr: false })

const ICON =
  'inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-11 [&>svg]:size-[18px] [&>svg]:stroke-[1.5]'

export function DocsFrame({ tree, children }: { tree: DocsTree; children: ReactNode }) {
  const [sheet, setSheet] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const opener = useRef<HTMLAnchorElement>(null)
  const openSheet = (event: MouseEvent) => {
    event.preventDefault()
    setSheet('open')
  }
  return (
    <>
      <TopBar>
        {/* Without scripts it leads to the page that lists all others. */}
        <a
          ref={opener}
          href={DOCS}
          aria-haspopup="dialog"
          aria-expanded={sheet === 'open'}
          aria-label={t('Documentation pages')}
          title={t('Documentation pages')}
          onClick={openSheet}
          className={`${ICON} docs-narrow`}
        >
          <TableOfContents aria-hidden="true" />
        </a>
        <Link href={DOCS} prefetch={false} className="rounded-control px-2 text-14 font-medium hover:text-accent">
          {t('Docs')}
        </Link>
        <div className="docs-wide ms-4 w-full max-w-90">
          <SearchField />
        </div>
        <Link
          href={SEARCH}
          prefetch={false}
          aria-label={t('Search docs')}
          title={t('Search docs')}
          className={`${ICON} docs-narrow ms-auto`}
        >
          <Search aria-hidden="true" />
        </Link>
      </TopBar>
      {sheet !== 'unopened' && (
        <NavSheet tree={tree} isOpen={sheet === 'open'} onClose={() => setSheet('closed')} opener={opener} />
      )}
      <div className="docs flex min-h-0 flex-1">
        <nav
          aria-label={t('Documentation')}
          className="docs-wide thin-scroll w-60 shrink-0 overflow-y-auto border-e border-line px-3 py-5"
        >
          <DocsNav tree={tree} />
        </nav>
        {children}
      </div>
    </>
  )
}
