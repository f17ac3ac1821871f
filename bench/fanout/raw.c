// The yardstick of the fan-out bench: the least a server can do. Accepts COUNT connections and, told so, writes each event of a talk
// to each of them with write(), when it is due or, if others are still being written then, after those; COMMIT bytes are written to
// the file LOG and synced first, as a server does that must not show what it could forget.
//   raw COUNT LOG      on stdout: "port P", then "ready"; on stdin: "EVENTS COMMIT", then for each "AFTER_MS SIZE", answered by the
//                      CPU that the writes to the sockets took in microseconds.
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long long cpu_us(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int log = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (log < 0) return 2;
  signal(SIGPIPE, SIG_IGN);
  int count = atoi(argv[1]);
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof own;
  if (bind(listener, (struct sockaddr *)&own, size) || listen(listener, 4096) || getsockname(listener, (struct sockaddr *)&own, &size)) return 1;
  printf("port %d\n", ntohs(own.sin_port));
  fflush(stdout);
  int *sockets = calloc((size_t)count, sizeof(int));
  char request[4096];
  const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store, no-transform\r\nConnection: close\r\n\r\n";
  for (int i = 0; i < count; i++) {
    sockets[i] = accept(listener, 0, 0);
    if (sockets[i] < 0 || read(sockets[i], request, sizeof request) <= 0 || write(sockets[i], head, sizeof head - 1) < 0) return 1;
  }
  puts("ready");
  fflush(stdout);
  int events, commit;
  static int after[1024], sizes[1024];
  static char event[65536], page[65536];
  while (scanf("%d %d", &events, &commit) == 2) {
    if (events > 1024) return 2;
    for (int n = 0; n < events; n++)
      if (scanf("%d %d", &after[n], &sizes[n]) != 2) return 2;
    long long spent = 0, start = now_ms();
    for (int n = 0; n < events; n++) {
      long long at = start + after[n], early = at - now_ms();
      if (early > 0) usleep((useconds_t)early * 1000);
      int bytes = sizes[n];
      if (commit && (write(log, page, (size_t)commit) != commit || fdatasync(log))) { perror("commit"); return 1; }
      long long before = cpu_us();
      int used = snprintf(event, sizeof event, "id: 1-%d\nevent: beat\ndata: {\"seq\":%d,\"at\":%lld,\"text\":\"", n, n, at);
      if (bytes < used + 8) bytes = used + 8;
      memset(event + used, 'x', (size_t)(bytes - used - 4));
      memcpy(event + bytes - 4, "\"}\n\n", 4);
      for (int i = 0; i < count; i++)
        if (write(sockets[i], event, (size_t)bytes) < 0) { perror("write"); return 1; }
      spent += cpu_us() - before;
    }
    printf("%lld\n", spent);
    fflush(stdout);
  }
}
