import { FileX } from 'lucide-react'
import { t } from '@/lib/i18n/t'

export function MissingBytes({ name }: { name: string }) {
  return (
    <p className="flex max-w-72 items-center gap-2 rounded-card border border-dashed border-control px-3 py-2 text-13 text-ink-2">
      <FileX aria-hidden="true" className="size-5 shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0">
        <bdi className="block truncate font-medium">{name}</bdi>
        {t('This file is no longer on this device.')}
      </span>
    </p>
  )
}
