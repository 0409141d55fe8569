import { monogramOf, type Source } from '@/components/markdown/citations/sources'
import { t } from '@/lib/i18n/t'

export function SourceText({ source }: { source: Source }) {
  const { title, host, href, date, snippet } = source
  return (
    <div className="min-w-0 text-13">
      <p className="flex items-center gap-2 text-12 text-ink-3">
        <Monogram source={source} />
        <bdi className="truncate">{host || t('No link')}</bdi>
        {date && <span className="shrink-0">{date}</span>}
      </p>
      <p className="mt-2 text-14 font-medium wrap-anywhere">
        {href ? (
          <a
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent underline decoration-1 underline-offset-3 hover:decoration-2"
          >
            <bdi>{title}</bdi>
          </a>
        ) : (
          <bdi>{title}</bdi>
        )}
      </p>
      {snippet && (
        <p className="mt-1.5 line-clamp-4 text-ink-2 wrap-anywhere">
          <bdi>{snippet}</bdi>
        </p>
      )}
    </div>
  )
}

export function Monogram({ source }: { source: Source }) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-accent-soft font-serif text-12 text-accent"
    >
      {monogramOf(source)}
    </span>
  )
}
