import { redirect } from 'next/navigation'
import { DOCS } from '@/lib/contract/docs-addresses'

export default function GuidesPage() {
  redirect(DOCS)
}
