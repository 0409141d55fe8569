'use client'

import { Copy } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { t } from '@/lib/i18n/t'

export function RequestId({ id }: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    showToast({ text: t('Request ID copied') })
  }
  return (
    <Button kind="code" onClick={() => void copy()} title={t('Copy request ID to report a problem')}>
      <Copy aria-hidden="true" className="size-3.5" strokeWidth={1.5} />
      <bdi dir="ltr">{id}</bdi>
    </Button>
  )
}
