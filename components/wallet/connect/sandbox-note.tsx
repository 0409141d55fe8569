import { FlaskConical } from 'lucide-react'
import { useService } from '@/lib/browser/session'
import { t } from '@/lib/i18n/t'

/** Said where money is spoken of, and only while it is no money. */
export function SandboxNote({ className = '' }: { className?: string }) {
  if (!useService()?.sandbox) return null
  return (
    <p className={`flex items-center gap-2 text-13 text-ink-3 ${className}`}>
      <FlaskConical aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {t('Test money on local chains. No funds are real.')}
    </p>
  )
}
