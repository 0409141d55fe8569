'use client'

import { Copy } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'

/** The id that the operator finds the request by. */
export function RequestId({ id }: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    showToast({ text: 'Request id copied' })
  }
  return (
    <Button kind="code" onClick={() => void copy()} title="Copy the id of this request, for a report">
      <Copy aria-hidden="true" className="size-3.5" strokeWidth={1.5} />
      {id}
    </Button>
  )
}
