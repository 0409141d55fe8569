import type { Found } from '@/lib/contract/docs'

export function SearchHitText({ title, place, snippet }: Found) {
  return (
    <>
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate text-14">{title}</span>
        <span className="max-w-1/2 shrink-0 truncate font-mono text-12 text-ink-3">{place}</span>
      </span>
      {snippet !== undefined && <span className="mt-0.5 line-clamp-2 block text-13 text-ink-2">{snippet}</span>}
    </>
  )
}
