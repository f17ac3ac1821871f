// The attendees of the fan-out bench: opens connections to 127.0.0.1:PORT, sends each its request from the file REQUESTS (separated
// by NUL; the last one serves all that follow), and reads whatever comes. Counts events (blank lines), reads that brought one, bytes, and how long after the
// `"at":<ms>` inside it an event was read.
//   sink PORT REQUESTS      on stdin: "enter COUNT", answered by "ready" once COUNT more are in; "look", answered by what was counted
//                           as a line of JSON; "report", which also begins anew.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUCKETS 20000
static unsigned long long events, reads, bytes, closed;
static unsigned late[BUCKETS + 1];
static char buffer[65536];
// How many wait for the head of their answer at once: fewer than any server keeps in its backlog.
#define WINDOW 64
static struct sockaddr_in to = {.sin_family = AF_INET};
static int readiness, wanted, opened, entering;
static char *request, *last_end;

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void look(void) {
  unsigned long long total = 0, seen = 0;
  int p50 = 0, p99 = 0;
  for (int i = 0; i <= BUCKETS; i++) total += late[i];
  for (int i = 0; i <= BUCKETS; i++) {
    seen += late[i];
    if (!p50 && seen * 2 >= total) p50 = i;
    if (seen * 100 >= total * 99) { p99 = i; break; }
  }
  printf("{\"events\":%llu,\"reads\":%llu,\"bytes\":%llu,\"closed\":%llu,\"p50\":%d,\"p99\":%d}\n", events, reads, bytes, closed, p50, p99);
  fflush(stdout);
}

static void forget(void) {
  events = reads = bytes = 0;
  memset(late, 0, sizeof late);
}

// Counts what one read brought. An event ends with a blank line; one that is split between two reads is counted at its end.
static void take(const char *data, ssize_t length, char *before) {
  long long at = now_ms();
  bytes += (unsigned long long)length;
  // A heartbeat is no event.
  if (length == 3 && data[0] == ':') return;
  unsigned long long so_far = events;
  for (const char *p = data, *end = data + length; (p = memchr(p, '\n', (size_t)(end - p))); p++) {
    char previous = p > data ? p[-1] : *before;
    if (previous == '\n') events++;
  }
  *before = data[length - 1];
  if (events > so_far) reads++;
  const char *mark = memmem(data, (size_t)length, "\"at\":", 5);
  if (!mark) return;
  long long delay = at - atoll(mark + 5);
  late[delay < 0 ? 0 : delay > BUCKETS ? BUCKETS : delay]++;
}

static void enter_next(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to)) { perror("connect"); exit(1); }
  size_t length = strlen(request);
  if (write(s, request, length) != (ssize_t)length) { perror("write"); exit(1); }
  if (request + length + 1 < last_end) request += length + 1;
  fcntl(s, F_SETFL, O_NONBLOCK);
  struct epoll_event want = {.events = EPOLLIN, .data = {.fd = s}};
  epoll_ctl(readiness, EPOLL_CTL_ADD, s, &want);
  opened++;
  entering++;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  FILE *file = fopen(argv[2], "rb");
  struct stat about;
  if (!file || fstat(fileno(file), &about)) return 2;
  request = calloc(1, (size_t)about.st_size + 1);
  if (fread(request, 1, (size_t)about.st_size, file) != (size_t)about.st_size) return 2;
  last_end = request + about.st_size;
  to.sin_port = htons((unsigned short)atoi(argv[1]));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  readiness = epoll_create1(0);
  // The last byte that came, by socket; 0 before the first.
  char *before = calloc((size_t)files.rlim_max + 16, 1);
  struct epoll_event input = {.events = EPOLLIN, .data = {.fd = 0}};
  epoll_ctl(readiness, EPOLL_CTL_ADD, 0, &input);
  struct epoll_event ready[4096];
  for (;;) {
    // Reads in batches: a reader that sleeps is woken at the writer's cost, which over a real network is not the writer's.
    usleep(2000);
    int n = epoll_wait(readiness, ready, 4096, -1);
    for (int i = 0; i < n; i++) {
      int s = ready[i].data.fd;
      ssize_t got = read(s, buffer, sizeof buffer - 1);
      if (s == 0) {
        int more = 0;
        if (got <= 0) return 0;
        buffer[got] = 0;
        if (sscanf(buffer, "enter %d", &more) == 1) wanted += more;
        else look();
        if (buffer[0] == 'r') forget();
      } else if (got > 0) {
        if (!before[s] && --entering == 0 && opened == wanted) { puts("ready"); fflush(stdout); }
        take(buffer, got, &before[s]);
      } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        if (!before[s]) { fprintf(stderr, "an attendee was refused\n"); return 1; }
        closed++;
        epoll_ctl(readiness, EPOLL_CTL_DEL, s, 0);
        close(s);
      }
    }
    while (opened < wanted && entering < WINDOW) enter_next();
  }
}
