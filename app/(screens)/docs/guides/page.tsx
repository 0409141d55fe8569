import { redirect } from 'next/navigation'
import { DOCS } from '@/lib/contract/docs-addresses'

/** The guides are listed where the documentation begins. */
export default function GuidesPage() {
  redirect(DOCS)
}
