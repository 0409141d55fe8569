import { Client } from 'pg'

export async function freezePostgres(url: string): Promise<() => void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const backends = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  const file = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`)
  await client.end()
  const pids = [Number.parseInt(file.rows[0]!.text, 10), ...backends.rows.map(({ pid }) => pid)]
  for (const pid of pids) signal(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
