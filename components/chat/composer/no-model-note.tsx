import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { operatorQuery } from '@/lib/browser/operator'
import { t } from '@/lib/i18n/t'

/** Says under the composer why nothing can be sent, and leads the operator to where that is changed. */
export function NoModelNote() {
  const operator = useQuery(operatorQuery())
  return (
    <>
      {t('No model is connected.')}{' '}
      {operator.data?.isOperator && (
        <Link href="/admin" className="text-accent underline">
          {t('Connect provider')}
        </Link>
      )}
    </>
  )
}
