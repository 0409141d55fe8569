import { ArrowLeft, ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { ChosenLanguage } from '@/components/docs/code-samples'
import { Contents } from '@/components/docs/contents'
import { DocLink, InlineText } from '@/components/docs/docs-text'
import type { DocsPage, Heading, PagesAround } from '@/lib/contract/docs'
import { language, t } from '@/lib/i18n/t'

type ArticleProps = {
  around: PagesAround
  title: string
  above?: ReactNode
  lead?: string
  headings: readonly Heading[]
  children: ReactNode
}

/**
 * A page of the documentation: its text is English in every language of the interface, the frame around it is
 * translated.
 */
export function Article({ around: { before, after }, title, above, lead, headings, children }: ArticleProps) {
  return (
    <DocsScroller>
      <div className="docs-columns">
        <div className="docs-column">
          <article lang="en" dir="ltr" className="docs-article" aria-labelledby="title">
            {above && <p className="mb-2 text-13 text-ink-3">{above}</p>}
            <h1 id="title" className="font-serif text-40 font-[420] tracking-[-0.015em] text-balance">
              {title}
            </h1>
            {lead && (
              <p className="docs-lead">
                <InlineText text={lead} />
              </p>
            )}
            {headings.length > 1 && <FoldedContents headings={headings} />}
            {children}
          </article>
          <nav aria-label={t('Previous and next page')} className="docs-pager">
            {before && <Neighbour page={before} word={t('Previous')} icon={<ArrowLeft aria-hidden="true" />} />}
            {after && <Neighbour page={after} word={t('Next')} icon={<ArrowRight aria-hidden="true" />} isAfter />}
          </nav>
        </div>
        {headings.length > 1 && (
          <aside className="docs-aside">
            <Contents headings={headings} />
          </aside>
        )}
      </div>
      <ChosenLanguage />
    </DocsScroller>
  )
}

function FoldedContents({ headings }: { headings: readonly Heading[] }) {
  return (
    <details className="docs-folded-contents">
      <summary>
        <bdi lang={language()}>{t('On this page')}</bdi>
      </summary>
      <ul>
        {headings.map(({ id, text, level }) => (
          <li key={id} className={level === 3 ? 'ps-4' : undefined}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

type NeighbourProps = { page: DocsPage; word: string; icon: ReactNode; isAfter?: boolean }

function Neighbour({ page, word, icon, isAfter = false }: NeighbourProps) {
  return (
    <DocLink href={page.href} className={`docs-neighbour ${isAfter ? 'ms-auto text-end' : ''}`}>
      <span className="text-12 text-ink-3">{word}</span>
      <span className={`flex items-center gap-2 ${isAfter ? 'justify-end' : 'flex-row-reverse justify-end'}`}>
        <bdi lang="en">{page.title}</bdi>
        {icon}
      </span>
    </DocLink>
  )
}

export function DocsScroller({ children }: { children: ReactNode }) {
  return <div className="docs-scroller thin-scroll min-w-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
}
