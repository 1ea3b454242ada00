# shellcheck shell=bash
# Where the nodes of Paddle's launcher meet. It starts its server only on the node whose address is that in --master,
# letter for letter, and takes for that address what the name of the machine stands for: on Debian 127.0.1.1.
#
# meet   makes the name in MASTER an IPv4 address, and POD_IP the address of this node by which the others reach it

meet() {
  local found master
  found=$(python - "${MASTER%:*}" <<'END'
import fcntl, socket, struct, sys

def source(target):
    """The address from which this machine would send to another one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect((target, 9))
        return one.getsockname()[0]

def addresses():
    """The addresses of the interfaces of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        for _, name in socket.if_nameindex():
            try:
                found = fcntl.ioctl(one, 0x8915, struct.pack("256s", name.encode()[:15]))  # SIOCGIFADDR
            except OSError:
                continue
            yield socket.inet_ntoa(found[20:24])

def others():
    """The addresses by which other machines may reach this one, that of the default route first."""
    try:
        yield source("198.51.100.1")  # an address that nobody has
    except OSError:
        pass
    yield from (address for address in addresses() if not address.startswith("127."))

host = sys.argv[1]
try:
    known = [entry[4][0] for entry in socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)]
except OSError as error:
    sys.exit(f"The nodes cannot meet at {host}: {error.strerror}. Paddle needs a name with an IPv4 address.")
# A name that stands for a loopback address is this machine's own, which the others know by another address.
outside = [address for address in known if not address.startswith("127.")]
if host not in known and not outside:
    outside = list(others())
master = (outside or known)[0]
try:
    print(master, source(master))
except OSError as error:
    sys.exit(f"The nodes cannot meet at {host}, which is {master} as seen from this one: {error.strerror}.")
END
) || return
  read -r master POD_IP <<< "$found"
  MASTER=$master:${MASTER##*:}
  export MASTER POD_IP
}
