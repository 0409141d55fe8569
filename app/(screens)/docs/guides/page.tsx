import { redirect } from 'next/navigation'
import { DOCS } from '@/lib/contract/docs'

export default function GuidesPage() {
  redirect(DOCS)
}
