#!/usr/bin/perl
# A MOSS client in the manner of the classic one: the same options, the same lines, one line back.
# perl classic_client.pl HOST PORT [-l LANGUAGE] [-m N] [-n N] [-d] [-x] [-c COMMENT] [-b BASE] [-u USER] -- FILE...
use strict;
use warnings;
use IO::Socket;

my ($host, $port) = (shift @ARGV, shift @ARGV);
my %option = (l => "c", m => 10, n => 250, d => 0, x => 0, c => "", u => "987654321");
my @base;
while (@ARGV) {
    my $word = shift @ARGV;
    last if $word eq "--";
    my $name = substr($word, 1);
    if    ($name eq "d" || $name eq "x") { $option{$name} = 1 }
    elsif ($name eq "b")                 { push @base, shift @ARGV }
    else                                 { $option{$name} = shift @ARGV }
}

my $sock = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => "tcp")
    or die "Could not connect to server $host: $!\n";
$sock->autoflush(1);

sub upload_file {
    my ($file, $id) = @_;
    my $size = -s $file;
    (my $shown = $file) =~ s/\s/_/g;
    print $sock "file $id $option{l} $size $shown\n";
    open(my $in, "<", $file) or die "$file: $!\n";
    binmode $in;
    while (<$in>) { print $sock $_ }
    close($in);
}

print $sock "moss $option{u}\n";
print $sock "directory $option{d}\n";
print $sock "X $option{x}\n";
print $sock "maxmatches $option{m}\n";
print $sock "show $option{n}\n";
print $sock "language $option{l}\n";
my $answer = <$sock>;
chop($answer);
if ($answer eq "no") {
    print $sock "end\n";
    die "Unrecognized language $option{l}.\n";
}
upload_file($_, 0) for @base;
my $id = 1;
upload_file($_, $id++) for @ARGV;
print $sock "query 0 $option{c}\n";
print "Query submitted.  Please wait for the server's response.\n";
$answer = <$sock>;
print $sock "end\n";
print $answer;
close($sock);
