import { Search } from 'lucide-react'
import { DocLink } from '@/components/docs/docs-text'
import { SearchHitText } from '@/components/docs/search-field'
import { Button } from '@/components/ui/button'
import { type Found, SEARCH } from '@/lib/contract/docs'
import { plural, t } from '@/lib/i18n/t'

type SearchResultsProps = { query: string; found: readonly Found[] }

export function SearchResults({ query, found }: SearchResultsProps) {
  return (
    <div className="mx-auto w-full max-w-170 px-4 pt-8 pb-16 md:px-8">
      <h1 className="mb-4 font-serif text-24 font-[440]">{t('Search docs')}</h1>
      <search>
        <form action={SEARCH} className="flex gap-2">
          <div className="flex min-w-0 flex-1 items-center gap-2 rounded-control border border-control bg-surface px-3">
            <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
            <input
              type="search"
              name="q"
              defaultValue={query}
              dir="auto"
              aria-label={t('Search docs')}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="min-h-11 min-w-0 flex-1 bg-transparent text-16 outline-none"
            />
          </div>
          <Button type="submit" kind="primary" className="min-h-11">
            {t('Search')}
          </Button>
        </form>
      </search>
      {query.trim() !== '' && (
        <p role="status" className="mt-6 mb-1 text-13 text-ink-2">
          {found.length === 0
            ? t('No results.')
            : plural(found.length, { one: '{count} match', other: '{count} matches' })}
        </p>
      )}
      <ul lang="en" className="divide-y divide-line">
        {found.map((each) => (
          <li key={each.href}>
            <DocLink href={each.href} className="-mx-2 block rounded-control px-2 py-2.5 hover:bg-hover">
              <SearchHitText {...each} />
            </DocLink>
          </li>
        ))}
      </ul>
    </div>
  )
}
