'use client'

import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import type { DocsPage, DocsSection, DocsTree } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

type DocsNavProps = { tree: DocsTree; onDone?: () => void }

export function DocsNav({ tree, onDone }: DocsNavProps) {
  const props = onDone ? { onDone } : {}
  const list = useRef<HTMLDivElement>(null)
  const pathname = usePathname()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each page another one is where one is.
  useEffect(() => {
    list.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <div ref={list}>
      <PageLink page={tree.start} title={t('Overview')} {...props} />
      <p className="docs-nav-head">{t('Guides')}</p>
      <ul>
        {tree.guides.map((page) => (
          <li key={page.href}>
            <PageLink page={page} {...props} />
          </li>
        ))}
      </ul>
      <p className="docs-nav-head">{t('API reference')}</p>
      <ul>
        {tree.reference.map((page) => (
          <li key={page.href}>
            <PageLink page={page} {...props} />
          </li>
        ))}
        {tree.groups.map((section) => (
          <Group key={section.page.href} section={section} {...props} />
        ))}
      </ul>
    </div>
  )
}

type GroupProps = Pick<DocsNavProps, 'onDone'> & { section: DocsSection }

function Group({ section: { page, pages }, ...props }: GroupProps) {
  const pathname = usePathname()
  const isOpen = pathname === page.href || pathname.startsWith(`${page.href}/`)
  return (
    <li>
      <PageLink page={page} isFolded={!isOpen} {...props} />
      {isOpen && (
        <ul className="mb-1 ms-3 border-s border-line ps-1.5">
          {pages.map((operation) => (
            <li key={operation.href}>
              <PageLink page={operation} {...props} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

type PageLinkProps = Pick<DocsNavProps, 'onDone'> & { page: DocsPage; title?: string; isFolded?: boolean }

function PageLink({ page: { href, title: own }, title, isFolded, onDone }: PageLinkProps) {
  const isHere = usePathname() === href
  return (
    <Link
      href={href}
      prefetch={false}
      onClick={onDone}
      aria-current={isHere ? 'page' : undefined}
      className={`flex min-h-8 items-center gap-1 rounded-control px-2 py-1 text-13 pointer-coarse:min-h-11 ${isHere ? 'bg-accent-soft font-medium' : 'text-ink-2 hover:bg-hover hover:text-ink'}`}
    >
      <bdi lang={title === undefined ? 'en' : undefined} className="min-w-0 flex-1">
        {title ?? own}
      </bdi>
      {isFolded !== undefined && (
        <ChevronRight
          aria-hidden="true"
          className={`size-3.5 shrink-0 text-ink-3 ${isFolded ? 'rtl:-scale-x-100' : 'rotate-90'}`}
          strokeWidth={1.5}
        />
      )}
    </Link>
  )
}
